// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_walk.h"

#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {

std::string_view text_of(const Json& object, std::string_view member) {
  if (!object.is_object()) return {};
  const auto found = object.find(member);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

std::string_view kind_of(const Json& object) { return text_of(object, "kind"); }

std::string metadata_text(const Json& object, std::string_view member) {
  if (!object.is_object()) return {};
  const auto metadata = object.find("metadata");
  return metadata == object.end() ? std::string() : std::string(text_of(*metadata, member));
}

bool is_secret_kind(const ObjectKind& kind) { return kind.group.empty() && kind.kind == "Secret"; }

bool is_secret(const Json& object, bool is_asked_secret) {
  if (is_asked_secret) return object.is_object() && !is_envelope(object);
  // A reference to one ({"kind": "Secret", "name"}) holds no values, and its name must stay.
  return kind_of(object) == "Secret" &&
         (object.contains("metadata") || object.contains("data") || object.contains("stringData"));
}

bool is_custom_group(std::string_view group) {
  return group.find('.') != std::string_view::npos &&
         (!group.ends_with(".k8s.io") || group == "gateway.networking.k8s.io" ||
          group == "snapshot.storage.k8s.io");
}

bool is_envelope(const Json& body) {
  if (!body.is_object()) return false;
  const std::string_view kind = kind_of(body);
  if (kind.empty() && body.contains("object") && body.contains("type")) return true;
  return kind == "Status" || kind == "Table" || kind == "WatchEvent" || kind.ends_with("List");
}

bool is_object_text(const Json& text) {
  if (!text.is_string()) return false;
  const auto& value = text.get_ref<const std::string&>();
  return value.starts_with('{') && value.find("\"apiVersion\"") != std::string::npos &&
         value.find("\"kind\"") != std::string::npos;
}

}  // namespace filecall::worker::kube
