// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/redaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "ipc/json_discard.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/hidden_values.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/quoted_objects.h"

namespace filecall::worker::kube {
namespace {

/// A member of a Secret that holds its values, in base64 or as they are.
struct SecretValues {
  const char* member;
  bool is_encoded;
};
constexpr SecretValues kSecretValues[] = {{"data", true}, {"stringData", false}};

constexpr std::size_t kSecretAnnotationBytes = 256;
/// Shorter values under a credential's name are as often "true" as a password: hidden where they
/// stand, not searched for elsewhere.
constexpr std::size_t kLearnedBytes = 8;
constexpr std::array kSecretMembers = std::to_array<std::string_view>(
    {"apiVersion", "kind", "metadata", "type", "immutable", "data", "stringData"});
constexpr std::array kIdentityMembers = std::to_array<std::string_view>(
    {"name", "namespace", "uid", "generateName", "resourceVersion", "creationTimestamp",
     "deletionTimestamp", "ownerReferences", "finalizers"});

constexpr std::array kLabelMembers =
    std::to_array<std::string_view>({"labels", "matchLabels", "selector", "nodeSelector"});

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Remembers what an object holds.
class Learning {
 public:
  explicit Learning(KnownValues& known) : known_(known) {}

  void object(const Json& value, bool is_asked_secret) {
    const bool is_in_secret = is_secret(value, is_asked_secret);
    if (is_in_secret) secret(value);
    tree("", value, is_in_secret);
    if (!value.is_object()) return;
    for_each_hidden_cell(value, [this](const Json& cell) { text(cell); });
  }

 private:
  void secret(const Json& object) {
    const std::string name = metadata_text(object, "name");
    const std::string space = metadata_text(object, "namespace");
    for (const auto& [member, is_encoded] : kSecretValues) {
      const auto values = object.find(member);
      if (values == object.end()) continue;
      if (!values->is_object()) {
        known_.add(secret_bytes(*values, false));
        continue;
      }
      for (const auto& [key, value] : values->items()) {
        const std::string bytes = secret_bytes(value, is_encoded);
        // What every object shows of itself cannot be hidden, and need not (a token's Secret
        // repeats its namespace).
        if (bytes == name || bytes == space) continue;
        known_.add(bytes);
        inner_texts(bytes);
      }
    }
  }

  void text(const Json& value) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() >= kLearnedBytes) known_.add(text);
  }

  /// The texts of a value that is JSON itself (docker's configuration): each may be repeated alone.
  void inner_texts(const std::string& bytes) {
    if (!bytes.starts_with('{')) return;
    for_each_text(read(bytes), [&](const std::string& text) {
      if (text.size() >= kLearnedBytes) known_.add(text);
    });
  }

  /// A JSON text as deep as a body may be; null for anything else.
  static Json read(std::string_view text) {
    auto parsed = parse_strict(text, limits::kDepth, Strictness::kForeign, "value");
    return parsed ? *std::move(parsed) : Json();
  }

  void tree(std::string_view key, const Json& value, bool is_in_secret) {
    if (value.is_string()) {
      if (is_hidden_member(key, value, NamePlace::kMember)) text(value);
      // A copy is taken out. What it holds may stand elsewhere all the same, and need not be what
      // its object holds now; the copy of a Secret does not always say that it is one.
      if (is_copy_annotation(key) || is_object_text(value)) {
        Json copy = read(value.get_ref<const std::string&>());
        object(copy, is_in_secret);
        discard(copy);
      }
    } else if (value.is_array()) {
      for (const Json& item : value) tree(key, item, is_in_secret);
    } else if (const auto* members = value.get_ptr<const Json::object_t*>()) {
      if (const Json* hidden = hidden_pair_value(value)) text(*hidden);
      for (const auto& [name, item] : *members) {
        // managedFields name fields and hold no values; they are as long as the rest.
        if (holds(kLabelMembers, name) || (key == "metadata" && name == "managedFields")) continue;
        const bool is_inner_secret = is_secret(item, false);
        if (is_inner_secret) secret(item);
        tree(name, item, is_in_secret || is_inner_secret);
      }
    }
  }

  KnownValues& known_;
};

/// Takes out what is secret, in place.
class Masking {
 public:
  explicit Masking(const Redactor& redactor) : redactor_(redactor) {}

  void object(Json& value, bool is_asked_secret) {
    if (is_asked_secret && !is_secret(value, false)) {
      for (const SecretValues& place : kSecretValues) hide_values(value, place);
    }
    if (value.is_object()) for_each_hidden_cell(value, [this](Json& cell) { hide(cell); });
    tree("", value, is_asked_secret);
  }

  void text(Json& value) {
    if (value.is_string()) scrub(value, Redactor::Texts::kAny);
  }

 private:
  void settings(Json& value) { scrub(value, Redactor::Texts::kSettings); }
  void scrub(Json& value, Redactor::Texts texts) {
    if (auto scrubbed = redactor_.scrub_member(value.get_ref<const std::string&>(), texts)) {
      value = *std::move(scrubbed);
    }
  }

  void hide_values(Json& object, const SecretValues& place) {
    const auto values = object.find(place.member);
    if (redactor_.is_revealing() || values == object.end()) return;
    if (!values->is_object()) {
      *values = redactor_.mark(secret_bytes(*values, false));
      return;
    }
    for (auto& [key, value] : values->items()) {
      const auto mark = value.is_object() ? value.find("redacted") : value.end();
      if (mark != value.end() && value.size() == 3) continue;
      value = redactor_.mark(secret_bytes(value, place.is_encoded));
    }
  }

  void secret(Json& object) {
    for (const SecretValues& place : kSecretValues) hide_values(object, place);
    for (auto member = object.begin(); member != object.end();) {
      member = holds(kSecretMembers, member.key()) ? ++member : object.erase(member);
    }
    if (object.contains("metadata")) metadata(object["metadata"], true);
    if (object.contains("type")) text(object["type"]);
  }

  void config_map(Json& object) {
    if (auto data = object.find("data"); data != object.end() && data->is_object()) {
      for (auto& [key, value] : *data->get_ptr<Json::object_t*>()) {
        if (!value.is_string()) continue;
        if (is_hidden_member(key, value, NamePlace::kVariable)) {
          hide(value);
        } else {
          settings(value);
        }
      }
    }
    if (auto data = object.find("binaryData"); data != object.end() && data->is_object()) {
      for (auto& [key, value] : data->items()) {
        value = fmt::format("[binary bytes={}]", secret_bytes(value, true).size());
      }
    }
  }

  void hide(Json& value) {
    if (!redactor_.is_revealing()) {
      value = redactor_.mark_text(value.get_ref<const std::string&>());
    }
  }

  void metadata(Json& value, bool is_of_secret) {
    if (!value.is_object()) return;
    value.erase("managedFields");
    for (auto& [key, item] : *value.get_ptr<Json::object_t*>()) {
      if (key == "annotations" && item.is_object()) {
        annotations(item, is_of_secret);
      } else if (key == "labels" && item.is_object()) {
        labels(item);
      } else if (!holds(kIdentityMembers, key)) {
        tree(key, item, false);
      }
    }
  }

  /// Selectors must go on fitting: what a label is called says nothing of its value.
  void labels(Json& values) {
    for (auto& [key, value] : *values.get_ptr<Json::object_t*>()) {
      value.is_string() ? text(value) : tree(key, value, false);
    }
  }

  void annotations(Json& values, bool is_of_secret) {
    for (auto entry = values.begin(); entry != values.end();) {
      Json& value = entry.value();
      if (is_copy_annotation(entry.key()) || is_object_text(value)) {
        entry = values.erase(entry);
        continue;
      }
      if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const bool is_hidden = is_hidden_member(entry.key(), value, NamePlace::kAnnotation) ||
                               (is_of_secret && text.size() > kSecretAnnotationBytes);
        is_hidden && !redactor_.is_revealing() ? hide(value) : settings(value);
      }
      ++entry;
    }
  }

  void tree(std::string_view key, Json& value, bool is_asked_secret) {
    if (value.is_string()) {
      if (key == "kind" || key == "apiVersion") return;
      is_hidden_member(key, value, NamePlace::kMember) ? hide(value) : text(value);
    } else if (value.is_array()) {
      key == "args" || key == "command" ? arguments(value) : items(key, value);
    } else if (value.is_object()) {
      if (is_secret(value, is_asked_secret)) return secret(value);
      members(value);
    }
  }

  void items(std::string_view key, Json& array) {
    for (Json& item : array) tree(key, item, false);
  }

  void members(Json& object) {
    const bool is_config_map = kind_of(object) == "ConfigMap";
    if (is_config_map) config_map(object);
    const Json* hidden = hidden_pair_value(object);
    for (auto& [name, item] : *object.get_ptr<Json::object_t*>()) {
      if (&item == hidden) {
        hide(item);
      } else if (name == "value" && hidden == nullptr && item.is_string()) {
        settings(item);
      } else if (name == "metadata") {
        metadata(item, false);
      } else if (holds(kLabelMembers, name) && item.is_object()) {
        labels(item);
      } else if (!is_config_map || (name != "data" && name != "binaryData")) {
        tree(name, item, false);
      }
    }
  }

  /// "--token=X", and "--token" with its value in the next argument.
  void arguments(Json& array) {
    bool is_value = false;
    for (Json& item : array) {
      if (!item.is_string()) continue;
      const auto& argument = item.get_ref<const std::string&>();
      const bool is_flag = argument.starts_with('-');
      const bool is_named = is_flag && argument.find('=') == std::string::npos &&
                            is_credential_name(argument, NamePlace::kVariable);
      if (is_value && !is_flag && !is_variable_reference(argument)) {
        hide(item);
      } else {
        settings(item);
      }
      is_value = is_named;
    }
  }

  const Redactor& redactor_;
};

/// The objects that a list, a table or a watch event is about.
template <typename Body>
std::vector<Body*> inner_objects(Body& body) {
  std::vector<Body*> found;
  if (!body.is_object()) return found;
  if (const auto items = body.find("items"); items != body.end() && items->is_array()) {
    for (auto& item : *items) found.push_back(&item);
  }
  if (const auto rows = body.find("rows"); rows != body.end() && rows->is_array()) {
    for (auto& row : *rows) {
      if (row.is_object() && row.contains("object")) found.push_back(&row["object"]);
    }
  }
  if (const auto object = body.find("object"); object != body.end() && body.contains("type")) {
    found.push_back(&*object);
  }
  return found;
}

}  // namespace

bool is_copy_annotation(std::string_view key) {
  if (key.find('/') == std::string_view::npos) return false;
  for (const std::string_view end :
       {"/last-applied-configuration", "/last-applied", "/original", "/original-diff",
        "/original-diff-full", "rio.cattle.io/applied", "/last-applied-object"}) {
    if (key.ends_with(end)) return true;
  }
  return false;
}

void Redactor::learn(const Json& body, const ObjectKind& asked) {
  if (is_revealing()) return;
  Learning learning(known_);
  const bool is_asked_secret = is_secret_kind(asked);
  for (const Json* object : inner_objects(body)) learning.object(*object, is_asked_secret);
  if (body.is_object()) learning.object(body, is_asked_secret && !is_envelope(body));
}

Json Redactor::redact(Json body, const ObjectKind& asked) {
  if (kind_of(body) == "Status") take_out_quoted_objects(body);
  learn(body, asked);
  if (!body.is_object()) return body;
  Masking masking(*this);
  const bool is_asked_secret = is_secret_kind(asked);
  const std::vector<Json*> inner = inner_objects(body);
  // Each once, or a mark would be masked for what it is: they are elsewhere during the last look.
  std::vector<Json> masked;
  for (Json* object : inner) {
    masking.object(*object, is_asked_secret);
    masked.push_back(std::exchange(*object, nullptr));
  }
  masking.object(body, is_asked_secret && !is_envelope(body));
  for (std::size_t i = 0; i < inner.size(); ++i) *inner[i] = std::move(masked[i]);
  return body;
}

std::string Redactor::scrub(std::string_view text) const {
  return mask_spans(text, secret_spans(text, Texts::kAny));
}

std::optional<std::string> Redactor::scrub_member(std::string_view text, Texts texts) const {
  std::vector<TextSpan> spans = secret_spans(text, texts);
  if (spans.empty() && is_valid_utf8(text)) return std::nullopt;
  return mask_spans(text, std::move(spans), [this](std::string_view hidden) {
    return fmt::format("[redacted digest={}]", keyed_digest(key_, hidden).substr(0, 8));
  });
}

std::vector<TextSpan> Redactor::secret_spans(std::string_view text, Texts texts) const {
  std::vector<TextSpan> spans;
  own_.find(text, spans);
  if (is_revealing()) return spans;
  known_.find(text, spans);
  find_credential_values(text, spans);
  if (texts == Texts::kSettings) find_credential_assignments(text, spans);
  return spans;
}

Json Redactor::mark(std::string_view value) const {
  return {{"redacted", true},
          {"bytes", value.size()},
          {"digest", keyed_digest(key_, value).substr(0, 16)}};
}

std::string Redactor::mark_text(std::string_view value) const {
  return fmt::format("[redacted bytes={} digest={}]", value.size(),
                     keyed_digest(key_, value).substr(0, 16));
}

}  // namespace filecall::worker::kube
