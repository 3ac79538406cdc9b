// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/masking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/hidden_values.h"
#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kSecretAnnotationBytes = 256;
constexpr std::array kSecretMembers = std::to_array<std::string_view>(
    {"apiVersion", "kind", "metadata", "type", "immutable", "data", "stringData"});
constexpr std::array kIdentityMembers = std::to_array<std::string_view>(
    {"name", "namespace", "uid", "generateName", "resourceVersion", "creationTimestamp",
     "deletionTimestamp", "ownerReferences", "finalizers"});

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void Masking::object(Json& value, bool is_asked_secret) {
  if (is_asked_secret && !is_secret(value, false)) {
    for (const SecretValues& place : kSecretValues) hide_values(value, place);
  }
  if (value.is_object()) for_each_hidden_cell(value, [this](Json& cell) { hide(cell); });
  tree("", value, is_asked_secret);
}

void Masking::text(Json& value) {
  if (value.is_string()) scrub(value, Redactor::Texts::kAny);
}

void Masking::settings(Json& value) { scrub(value, Redactor::Texts::kSettings); }

void Masking::scrub(Json& value, Redactor::Texts texts) {
  if (auto scrubbed = redactor_.scrub_member(value.get_ref<const std::string&>(), texts)) {
    value = *std::move(scrubbed);
  }
}

void Masking::hide_values(Json& object, const SecretValues& place) {
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

void Masking::secret(Json& object) {
  for (const SecretValues& place : kSecretValues) hide_values(object, place);
  for (auto member = object.begin(); member != object.end();) {
    member = holds(kSecretMembers, member.key()) ? ++member : object.erase(member);
  }
  if (object.contains("metadata")) metadata(object["metadata"], true);
  if (object.contains("type")) text(object["type"]);
}

void Masking::config_map(Json& object) {
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

void Masking::hide(Json& value) {
  if (!redactor_.is_revealing()) {
    value = redactor_.mark_text(value.get_ref<const std::string&>());
  }
}

void Masking::metadata(Json& value, bool is_of_secret) {
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

void Masking::labels(Json& values) {
  for (auto& [key, value] : *values.get_ptr<Json::object_t*>()) {
    value.is_string() ? text(value) : tree(key, value, false);
  }
}

void Masking::annotations(Json& values, bool is_of_secret) {
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

void Masking::tree(std::string_view key, Json& value, bool is_asked_secret) {
  if (value.is_string()) {
    if (key == "kind" || key == "apiVersion") return;
    is_hidden_member(key, value, NamePlace::kMember) ? hide(value) : text(value);
  } else if (value.is_array()) {
    key == "args" || key == "command" ? arguments(value) : items(key, value);
  } else if (value.is_object()) {
    if (is_secret(value, is_asked_secret)) return secret(value);
    members(key, value);
  }
}

void Masking::items(std::string_view key, Json& array) {
  for (Json& item : array) tree(key, item, false);
}

void Masking::members(std::string_view key, Json& object) {
  // Of a custom kind: what a field is called says nothing of its description.
  const bool is_schema = key == "properties";
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
    } else if (is_label_member(name) && item.is_object()) {
      labels(item);
    } else if (!is_config_map || (name != "data" && name != "binaryData")) {
      is_schema || !item.is_structured() || !is_credential_group(name) ? tree(name, item, false)
                                                                       : group(name, item);
    }
  }
}

void Masking::group(std::string_view key, Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    text.empty() || is_variable_reference(text) || is_file_path(text) ? this->text(value)
                                                                      : hide(value);
  } else if (value.is_array()) {
    for (Json& item : value) group(key, item);
  } else if (value.is_object()) {
    if (is_secret(value, false)) return secret(value);
    for (auto& [name, item] : *value.get_ptr<Json::object_t*>()) {
      is_description(name) ? tree(name, item, false) : group(name, item);
    }
  }
}

void Masking::arguments(Json& array) {
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

}  // namespace filecall::worker::kube
