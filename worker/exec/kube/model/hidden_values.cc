// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/hidden_values.h"

#include <optional>
#include <utility>

#include "base/base64.h"
#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {

bool is_hidden_member(std::string_view key, const Json& value, NamePlace place,
                      const RedactionRules& rules) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !rules.word(key, place, text).empty();
}

const Json* hidden_pair_value(const Json& object, const RedactionRules& rules) {
  const auto name = object.find("name");
  const auto value = object.find("value");
  if (name == object.end() || value == object.end() || !name->is_string()) return nullptr;
  const auto& text = name->get_ref<const std::string&>();
  return is_hidden_member(text, *value, NamePlace::kVariable, rules) ? &*value : nullptr;
}

std::string secret_bytes(const Json& value, bool is_encoded) {
  const std::string text = value.is_string() ? value.get<std::string>() : dump_json(value);
  std::optional<std::string> bytes = is_encoded ? base64_decode(text) : std::nullopt;
  return bytes ? *std::move(bytes) : text;
}

namespace {

bool has_label_of_helm(const Json& config_map) {
  const auto metadata = config_map.find("metadata");
  if (metadata == config_map.end() || !metadata->is_object()) return false;
  const auto labels = metadata->find("labels");
  return labels != metadata->end() && text_of(*labels, "owner") == "helm";
}

}  // namespace

HelmKeys helm_keys_of(const Json& config_map) {
  if (metadata_text(config_map, "name").starts_with("sh.helm.release.v1.")) return HelmKeys::kAll;
  return has_label_of_helm(config_map) ? HelmKeys::kRelease : HelmKeys::kNone;
}

bool hide_helm_release(HelmKeys keys, std::string_view key, Json& value, Places& places) {
  if (keys == HelmKeys::kNone || (keys == HelmKeys::kRelease && key != "release")) return false;
  places.hidden.push_back(
      {&value, Places::Mark::kText, value.get<std::string>(), "a Helm release"});
  return true;
}

std::vector<std::size_t> hidden_columns(const Json& body, const RedactionRules& rules) {
  std::vector<std::size_t> out;
  if (kind_of(body) != "Table") return out;
  const auto columns = body.find("columnDefinitions");
  if (columns == body.end() || !columns->is_array()) return out;
  for (std::size_t i = 0; i < columns->size(); ++i) {
    if (rules.is_name(text_of((*columns)[i], "name"), NamePlace::kAnnotation)) out.push_back(i);
  }
  return out;
}

}  // namespace filecall::worker::kube
