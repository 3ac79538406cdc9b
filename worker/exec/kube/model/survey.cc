// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ipc/json_discard.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/credential_texts.h"
#include "worker/exec/kube/model/hidden_values.h"
#include "worker/exec/kube/model/json_places.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/structure_names.h"

namespace filecall::worker::kube {
namespace {

/// Shorter values under a credential's name are as often "true" as a password: hidden where they
/// stand, not searched for elsewhere.
constexpr std::size_t kLearnedBytes = 8;
constexpr std::size_t kSecretAnnotationBytes = 256;
constexpr std::array kSecretMembers = std::to_array<std::string_view>(
    {"apiVersion", "kind", "metadata", "type", "immutable", "data", "stringData"});
constexpr std::array kIdentityMembers = std::to_array<std::string_view>(
    {"name", "namespace", "uid", "generateName", "resourceVersion", "creationTimestamp",
     "deletionTimestamp", "ownerReferences", "finalizers"});
constexpr std::string_view kList = "List";

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The kind of the items of a list that says its own; "" for any other object.
std::string_view item_kind(std::string_view kind) {
  const bool is_list = kind.size() > kList.size() && kind.ends_with(kList);
  return is_list ? kind.substr(0, kind.size() - kList.size()) : std::string_view();
}

/// A JSON text as deep as a body may be; null for anything else.
Json read(std::string_view text) {
  auto parsed = parse_strict(text, limits::kDepth, Strictness::kForeign, "value");
  return parsed ? *std::move(parsed) : Json();
}

/// What assigns something is no name, whatever it stands under ("Server=db;Password=...").
bool assigns_nothing(const Json& text) {
  return text.get_ref<const std::string&>().find('=') == std::string::npos;
}

}  // namespace

void Survey::body(Json& body, const ObjectKind& asked) {
  if (!body.is_object()) return;
  const bool is_asked_secret = is_secret_kind(asked);
  const std::string own_kind(kind_of(body));
  const std::string_view of_list = item_kind(own_kind);
  const std::string_view kind = of_list.empty() ? std::string_view(asked.kind) : of_list;
  const auto items = body.find("items");
  const bool has_items = items != body.end() && items->is_array();
  const auto rows = body.find("rows");
  const bool has_rows = rows != body.end() && rows->is_array();
  const auto event = body.find("object");
  const bool is_event = event != body.end() && body.contains("type");
  if (!has_items && !has_rows && !is_event) {
    return object(body, is_envelope(body) ? "" : std::string_view(asked.kind),
                  is_asked_secret && !is_envelope(body));
  }
  // Each object once: they are elsewhere while the rest of the body is looked at.
  Json kept_items = has_items ? std::exchange(*items, nullptr) : Json();
  Json kept_rows = has_rows ? std::exchange(*rows, nullptr) : Json();
  Json kept_event = is_event ? std::exchange(*event, nullptr) : Json();
  object(body, "", is_asked_secret && !is_envelope(body));
  // A Secret keeps none of them.
  if (has_items && body.contains("items")) {
    for (Json& item : body["items"] = std::move(kept_items)) object(item, kind, is_asked_secret);
  }
  if (has_rows && body.contains("rows")) {
    body["rows"] = std::move(kept_rows);
    table(body, kind, is_asked_secret);
  }
  if (is_event && body.contains("object")) {
    object(body["object"] = std::move(kept_event), kind, is_asked_secret);
  }
}

void Survey::object(Json& value, std::string_view kind, bool is_asked_secret) {
  if (!value.is_object()) return tree("", value);
  const std::string_view own = kind_of(value);
  if (is_secret(value, is_asked_secret || (own.empty() && kind == "Secret"))) return secret(value);
  members("", value, own.empty() ? kind : own);
}

void Survey::table(Json& body, std::string_view kind, bool is_asked_secret) {
  std::vector<bool> is_hidden;
  for (const std::size_t column : hidden_columns(body, rules_)) {
    is_hidden.resize(std::max(is_hidden.size(), column + 1));
    is_hidden[column] = true;
  }
  for (Json& row : body["rows"]) {
    if (!row.is_object()) {
      tree("", row);
      continue;
    }
    for (auto& [name, item] : *row.get_ptr<Json::object_t*>()) {
      if (name == "object") {
        object(item, kind, is_asked_secret);
      } else if (name == "cells" && item.is_array()) {
        cells(item, is_hidden);
      } else {
        tree(name, item);
      }
    }
  }
}

void Survey::cells(Json& row, const std::vector<bool>& is_hidden) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_empty = row[i] == "" || row[i] == "<none>";
    if (i < is_hidden.size() && is_hidden[i] && row[i].is_string() && !is_empty) {
      hide(row[i], "column with a credential's name");
    } else {
      tree("", row[i]);
    }
  }
}

void Survey::secret(Json& object) {
  for (const SecretValues& place : kSecretValues) secret_values(object, place);
  for (auto member = object.begin(); member != object.end();) {
    member = holds(kSecretMembers, member.key()) ? ++member : object.erase(member);
  }
  if (object.contains("metadata")) metadata(object["metadata"], true);
  if (object.contains("type")) text(object["type"], TextUse::kSentence);
}

void Survey::secret_values(Json& object, const SecretValues& place) {
  const auto values = object.find(place.member);
  if (values == object.end()) return;
  const std::string name = metadata_text(object, "name");
  const std::string space = metadata_text(object, "namespace");
  const auto add = [&](Json& value, bool is_encoded) {
    const auto mark = value.is_object() ? value.find("redacted") : value.end();
    if (mark != value.end() && value.size() == 3) return;
    std::string bytes = secret_bytes(value, is_encoded);
    // What every object shows of itself cannot be hidden, and need not (a token's Secret repeats
    // its namespace).
    if (bytes != name && bytes != space) {
      places_.secret_values.push_back(bytes);
      // A value that is JSON itself (docker's configuration): each text may be repeated alone.
      if (bytes.starts_with('{')) {
        for_each_text(read(bytes), [&](const std::string& text) {
          if (text.size() >= kLearnedBytes) places_.secret_values.push_back(text);
        });
      }
    }
    places_.hidden.push_back(
        {&value, Places::Mark::kObject, std::move(bytes), std::string(kSecretValue)});
  };
  if (!values->is_object()) return add(*values, false);
  for (auto& [key, value] : *values->get_ptr<Json::object_t*>()) add(value, place.is_encoded);
}

void Survey::config_map(Json& object) {
  if (auto data = object.find("data"); data != object.end() && data->is_object()) {
    const HelmKeys of_helm = helm_keys_of(object);
    for (auto& [key, value] : *data->get_ptr<Json::object_t*>()) {
      if (!value.is_string()) continue;
      if (hide_helm_release(of_helm, key, value, places_)) continue;
      is_hidden_member(key, value, NamePlace::kVariable, rules_)
          ? hide_named(value, "key", key, NamePlace::kVariable)
          : settings(value);
    }
  }
  if (auto data = object.find("binaryData"); data != object.end() && data->is_object()) {
    for (auto& [key, value] : *data->get_ptr<Json::object_t*>()) {
      places_.hidden.push_back(
          {&value, Places::Mark::kBinary, secret_bytes(value, true), "binary data"});
    }
  }
}

void Survey::metadata(Json& value, bool is_of_secret) {
  if (!value.is_object()) return;
  value.erase("managedFields");
  for (auto& [key, item] : *value.get_ptr<Json::object_t*>()) {
    if (key == "annotations" && item.is_object()) {
      annotations(item, is_of_secret);
    } else if (key == "labels" && item.is_object()) {
      labels(item, is_of_secret);
    } else if (!holds(kIdentityMembers, key)) {
      tree(key, item);
    } else if (item.is_string() && (key == "name" || key == "namespace")) {
      text(item, TextUse::kIdentity, true);
    }
  }
}

void Survey::labels(Json& values, bool is_of_secret) {
  for (auto& [key, value] : *values.get_ptr<Json::object_t*>()) {
    if (!value.is_string()) {
      tree(key, value);
    } else if (is_of_secret && !is_common_label(key)) {
      text(value, TextUse::kSentence);
    } else {
      text(value, TextUse::kName, true);
    }
  }
}

void Survey::annotations(Json& values, bool is_of_secret) {
  for (auto entry = values.begin(); entry != values.end();) {
    Json& value = entry.value();
    if (is_copy_annotation(entry.key()) || is_object_text(value)) {
      copy(value, is_of_secret);
      entry = values.erase(entry);
      continue;
    }
    if (value.is_string()) {
      const bool is_long =
          is_of_secret && value.get_ref<const std::string&>().size() > kSecretAnnotationBytes;
      if (is_long || is_hidden_member(entry.key(), value, NamePlace::kAnnotation, rules_)) {
        is_long ? hide(value, "long annotation of a Secret")
                : hide_named(value, "annotation", entry.key(), NamePlace::kAnnotation);
      } else {
        const bool is_name = is_structure_annotation(entry.key()) && assigns_nothing(value);
        text(value, is_name ? TextUse::kName : TextUse::kSettings);
      }
    }
    ++entry;
  }
}

void Survey::copy(const Json& text, bool is_of_secret) {
  if (!text.is_string()) return;
  Json object = read(text.get_ref<const std::string&>());
  Places places;
  Survey(places, rules_).object(object, "", is_of_secret);
  for (std::string& value : places.secret_values) places_.secret_values.push_back(std::move(value));
  discard(object);
}

void Survey::tree(std::string_view key, Json& value) {
  if (value.is_string()) {
    if (key == "kind" || key == "apiVersion") return;
    if (is_hidden_member(key, value, NamePlace::kMember, rules_)) {
      hide_named(value, "member", key, NamePlace::kMember);
    } else {
      const bool is_name = is_structure_member(key) && assigns_nothing(value);
      // A text of many lines is a file or a program.
      const bool is_file = value.get_ref<const std::string&>().find('\n') != std::string::npos;
      is_file ? settings(value)
              : text(value, is_name ? TextUse::kName : TextUse::kSentence, is_name);
    }
  } else if (value.is_number()) {
    number(key, value);
  } else if (value.is_array()) {
    if (key == "args" || key == "command") return arguments(value);
    for (Json& item : value) tree(key, item);
  } else if (value.is_object()) {
    is_secret(value, false) ? secret(value) : members(key, value, kind_of(value));
  }
}

void Survey::members(std::string_view key, Json& object, std::string_view kind) {
  // Of a custom kind: what a field is called says nothing of its description.
  const bool is_schema = key == "properties";
  const bool is_of_users = rules_.is_user_map(key);
  const bool is_config_map = kind == "ConfigMap";
  const std::string of_list(item_kind(kind));
  if (is_config_map) config_map(object);
  const Json* hidden = hidden_pair_value(object, rules_);
  for (auto& [name, item] : *object.get_ptr<Json::object_t*>()) {
    if (&item == hidden) {
      hide_named(item, "name", text_of(object, "name"), NamePlace::kVariable);
    } else if (name == "value" && hidden == nullptr && item.is_string()) {
      is_hidden_member(key, item, NamePlace::kMember, rules_)
          ? hide_named(item, "member", key, NamePlace::kMember)
          : settings(item);
    } else if (name == "encryptedData" && item.is_object()) {
      // Of a SealedSecret: only its controller can read it.
      for (Json& sealed : item) text(sealed, TextUse::kSentence);
    } else if (is_of_users && item.is_string() &&
               is_user_password(name, item.get_ref<const std::string&>())) {
      hide(item, "password of a user");
    } else if (name == "metadata") {
      metadata(item, false);
    } else if (is_label_member(name) && item.is_object()) {
      labels(item, false);
    } else if (name == "items" && !of_list.empty() && item.is_array()) {
      list_items(item, of_list);
    } else if (is_config_map && (name == "data" || name == "binaryData")) {
      continue;
    } else if (is_schema || !item.is_structured() || !rules_.is_group(name)) {
      tree(name, item);
    } else {
      group(name, item);
    }
  }
}

void Survey::list_items(Json& items, std::string_view kind) {
  for (Json& item : items) object(item, kind, false);
}

void Survey::group(std::string_view name, Json& value) {
  if (value.is_string()) {
    const auto& content = value.get_ref<const std::string&>();
    rules_.is_below(name, content) ? hide(value, fmt::format("stands below {}", name))
                                   : text(value, TextUse::kSentence);
  } else if (value.is_number()) {
    number(name, value);
  } else if (value.is_array()) {
    for (Json& item : value) group(name, item);
  } else if (value.is_object()) {
    if (is_secret(value, false)) return secret(value);
    for (auto& [member, item] : *value.get_ptr<Json::object_t*>()) {
      is_description(member) || member.starts_with("existing") ? tree(member, item)
                                                               : group(name, item);
    }
  }
}

void Survey::arguments(Json& array) {
  std::string named;
  std::vector<std::string_view> words;
  std::vector<std::size_t> texts;  // Of each word its place in texts; none for a hidden one.
  constexpr std::size_t kHidden = static_cast<std::size_t>(-1);
  for (Json& item : array) {
    if (!item.is_string()) {
      tree("", item);
      continue;
    }
    const auto& argument = item.get_ref<const std::string&>();
    words.push_back(argument);
    const bool is_flag = argument.starts_with('-');
    if (!named.empty() && !is_flag && !rules_.word(named, NamePlace::kVariable, argument).empty()) {
      hide_named(item, "flag", named, NamePlace::kVariable);
      texts.push_back(kHidden);
    } else {
      const std::size_t place = places_.texts.size();
      settings(item);
      texts.push_back(place < places_.texts.size() ? place : kHidden);
    }
    const bool is_named = is_flag && argument.find('=') == std::string::npos &&
                          rules_.is_name(argument, NamePlace::kVariable);
    named = is_named ? argument : "";
  }
  for (const WordSpan& found : find_credential_flags(words)) {
    if (texts[found.word] != kHidden)
      places_.texts[texts[found.word]].secrets.push_back(found.span);
  }
}

void Survey::settings(Json& value) {
  text(value, TextUse::kSettings);
  const auto& content = value.get_ref<const std::string&>();
  if (!content.starts_with('{') && !content.starts_with('[')) return;
  Json parsed = read(content);
  Places inner;
  Survey(inner, rules_).tree("", parsed);
  if (!find_in_json(content, inner.hidden, places_.texts.back().secrets)) {
    places_.texts.pop_back();
    hide(value, "file in JSON with credentials");
  }
  for (std::string& secret : inner.secret_values)
    places_.secret_values.push_back(std::move(secret));
  discard(parsed);
}

void Survey::text(Json& value, TextUse use, bool is_identifier) {
  if (value.is_string()) places_.texts.push_back({&value, use, is_identifier});
}

void Survey::number(std::string_view name, Json& value) {
  if (!rules_.is_password(name)) return;
  std::string bytes = dump_json(value);
  if (bytes.size() >= kLearnedBytes) places_.secret_values.push_back(bytes);
  places_.hidden.push_back({&value, Places::Mark::kText, std::move(bytes),
                            fmt::format("number under {}, a password's name", name), true});
}

void Survey::hide_named(Json& value, std::string_view what, std::string_view name,
                        NamePlace place) {
  hide(value, rules_.why(what, name, place, value.get_ref<const std::string&>()));
}

void Survey::hide(Json& value, std::string why) {
  const auto& bytes = value.get_ref<const std::string&>();
  if (bytes.size() >= kLearnedBytes) places_.secret_values.push_back(bytes);
  places_.hidden.push_back({&value, Places::Mark::kText, bytes, std::move(why)});
}

}  // namespace filecall::worker::kube
