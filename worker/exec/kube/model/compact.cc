// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

/// What API servers write where nothing was said, in kinds of their own. has_default() names the
/// members that have it in some places only.
const Json& defaults() {
  static const Json kDefaults = {{"defaultMode", 420},
                                 {"dnsPolicy", "ClusterFirst"},
                                 {"enableServiceLinks", true},
                                 {"failureThreshold", 3},
                                 {"internalTrafficPolicy", "Cluster"},
                                 {"periodSeconds", 10},
                                 {"podManagementPolicy", "OrderedReady"},
                                 {"preemptionPolicy", "PreemptLowerPriority"},
                                 {"progressDeadlineSeconds", 600},
                                 {"protocol", "TCP"},
                                 {"restartPolicy", "Always"},
                                 {"revisionHistoryLimit", 10},
                                 {"schedulerName", "default-scheduler"},
                                 {"scheme", "HTTP"},
                                 {"sessionAffinity", "None"},
                                 {"successThreshold", 1},
                                 {"terminationGracePeriodSeconds", 30},
                                 {"terminationMessagePath", "/dev/termination-log"},
                                 {"terminationMessagePolicy", "File"},
                                 {"timeoutSeconds", 1},
                                 {"volumeMode", "Filesystem"}};
  return kDefaults;
}

/// `parent`: what the member stands in, or the list of it.
bool has_default(std::string_view name, std::string_view parent) {
  const bool is_of_probe = parent.ends_with("Probe");
  // Of webhooks and of sessions it is another one.
  if (name == "timeoutSeconds") return is_of_probe;
  // Of a pod; a probe's is the pod's.
  if (name == "terminationGracePeriodSeconds") return !is_of_probe;
  // Of a pod; what says "Always" among the first containers runs beside the others.
  return name != "restartPolicy" ||
         (parent != "initContainers" && parent != "containers" && parent != "ephemeralContainers");
}

/// A text that is empty means something but in a status: a label's value, a storage class of "".
bool is_void(const Json& value, bool is_of_status) {
  return value.is_null() || (is_of_status && value == Json("")) ||
         (value.is_structured() && value.empty());
}

/// Which members say nothing.
struct Stripping {
  bool has_defaults = false;
  bool is_of_status = false;
};

/// Drops what says nothing, at any depth; items of lists stay, their number means something.
Json stripped(const Json& value, Stripping how, std::string_view parent) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) out.push_back(stripped(item, how, parent));
    return out;
  }
  if (!value.is_object()) return value;
  static const Json kRolling = {
      {"type", "RollingUpdate"},
      {"rollingUpdate", {{"maxSurge", "25%"}, {"maxUnavailable", "25%"}}}};
  Json out = Json::object();
  for (const auto& [name, member] : value.items()) {
    const auto usual = defaults().find(name);
    const bool is_default = how.has_defaults && usual != defaults().end() && *usual == member &&
                            has_default(name, parent);
    const bool is_repeated = how.has_defaults && name == "serviceAccount" &&
                             value.value("serviceAccountName", Json()) == member;
    const bool is_usual = how.has_defaults && name == "strategy" && member == kRolling;
    if (is_default || is_repeated || is_usual) continue;
    Json kept = stripped(member, how, name);
    // An empty member of a volume or a selector means something: emptyDir: {}, podSelector: {}.
    const bool is_meant = member.is_object() && member.empty() && name != "securityContext" &&
                          name != "resources" && name != "status";
    if (is_meant || !is_void(kept, how.is_of_status)) out[name] = std::move(kept);
  }
  return out;
}

Json conditions_by_type(const Json& conditions) {
  Json out = Json::object();
  for (const Json& condition : conditions) {
    const std::string status(text_of(condition, "status"));
    const std::string_view reason = text_of(condition, "reason");
    const bool is_plain = status == "True" || reason.empty();
    out[std::string(text_of(condition, "type"))] =
        is_plain ? status : fmt::format("{}: {}", status, reason);
  }
  return out;
}

/// Names, quoted names and "[]", as FieldPath reads them.
bool is_plain_path(std::string_view text) {
  bool has_more = true;
  while (has_more) {
    if (text.starts_with("[\"")) {
      const std::size_t end = text.find("\"]");
      if (end == std::string_view::npos || end == 2) return false;
      text.remove_prefix(end + 2);
    } else {
      const std::size_t end = std::min(text.find_first_of(".["), text.size());
      if (end == 0 || text.substr(0, end).find_first_of("]?(){}*,:@\"' ") < end) return false;
      text.remove_prefix(end);
    }
    if (text.starts_with("[]")) text.remove_prefix(2);
    has_more = !text.empty();
    if (text.starts_with('.')) {
      text.remove_prefix(1);
    } else if (has_more && !text.starts_with("[\"")) {
      return false;
    }
  }
  return true;
}

}  // namespace

Json compact(Json manifest) {
  if (!manifest.is_object()) return manifest;
  const bool is_custom = is_custom_group(group_of(text_of(manifest, "apiVersion")));
  for (auto& [name, member] : manifest.items()) {
    // What a ConfigMap or a Secret holds is nobody's default.
    if (name == "data" || name == "binaryData" || name == "metadata") continue;
    const bool is_status = name == "status";
    member = stripped(member, {!is_custom && !is_status, is_status}, name);
  }
  const auto status = manifest.find("status");
  if (status != manifest.end() && status->is_object()) {
    const auto conditions = status->find("conditions");
    if (conditions != status->end() && conditions->is_array()) {
      *conditions = conditions_by_type(*conditions);
    }
    if (status->empty()) manifest.erase("status");
  }
  return manifest;
}

Json without_identity(Json manifest, const Json& identity) {
  const auto drop = [&](Json& from, const char* member) {
    if (!from.is_object() || !identity.contains(member)) return;
    const auto found = from.find(member);
    if (found != from.end() && *found == identity[member]) from.erase(found);
  };
  drop(manifest, "apiVersion");
  drop(manifest, "kind");
  if (!manifest.is_object() || !manifest.contains("metadata")) return manifest;
  drop(manifest["metadata"], "name");
  drop(manifest["metadata"], "namespace");
  if (manifest["metadata"].empty()) manifest.erase("metadata");
  return manifest;
}

Result<FieldPath> parse_field(std::string_view text) {
  const std::string_view whole = text;
  if (text.starts_with('{') && text.ends_with('}')) {
    text = text.substr(1, text.size() - 2);
  }
  if (text.starts_with('$')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  std::string path(text);
  for (std::size_t at = 0; (at = path.find("[*]", at)) != std::string::npos;) path.erase(at + 1, 1);
  if (!is_plain_path(path)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("/params/fields: '{}' is no plain path, such as spec.replicas or "
                            "spec.containers[*].image",
                            whole));
  }
  return FieldPath(path);
}

Json value_at(const Json& manifest, std::string_view text, const FieldPath& path) {
  Json found = Json::array();
  path.visit(manifest, [&](const FoundField& field) { found.push_back(*field.value); });
  const bool is_list =
      text.find("[]") != std::string_view::npos || text.find("[*]") != std::string_view::npos;
  if (is_list) return found;
  return found.empty() ? Json() : found[0];
}

Result<FieldColumns> FieldColumns::parse(const Json& fields) {
  FieldColumns out;
  for (const Json& field : fields.is_array() ? fields : Json::array()) {
    if (!field.is_string()) continue;
    const auto& text = field.get_ref<const std::string&>();
    TRY_ASSIGN(FieldPath path, parse_field(text));
    out.fields_.emplace_back(text, std::move(path));
  }
  return out;
}

Json FieldColumns::names() const {
  Json out = Json::array();
  for (const auto& [text, path] : fields_) out.push_back(text);
  return out;
}

Json FieldColumns::row_of(const Json& object) const {
  Json out = Json::array();
  for (const auto& [text, path] : fields_) out.push_back(value_at(object, text, path));
  return out;
}

}  // namespace filecall::worker::kube
