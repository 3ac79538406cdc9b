// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/reference_places.h"

#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {

ReferencePlaces::ReferencePlaces(const ObjectKind& kind, const Json& object)
    : kind_(kind), object_(object), ns_(metadata_text(object, "namespace")) {}

void ReferencePlaces::place(const FoundField& found, Reference out, const std::string& given) {
  const std::string& rule = rule_->ns;
  if (rule == "cluster") return add(std::move(out), "");
  if (rule == "field-or-cluster") return add(std::move(out), given);
  if (rule == "all-namespaces" || rule == "any" || rule == "of-proxy" || rule == "of-host") {
    return add_anywhere(std::move(out));
  }
  if (rule == "same-or-root" && ns_ == kMeshRoot) return add_anywhere(std::move(out));
  if (rule == "root") return add(std::move(out), kMeshRoot);
  if (rule == "same-or-cluster") {
    out.namespaces = {ns_};
    return add(std::move(out), "");
  }
  if (rule.starts_with("selector:")) return place_by_sibling(found, std::move(out));
  if (rule.starts_with("label-or-same:")) {
    const Json* label = FieldPath("metadata.labels[\"" + rule.substr(14) + "\"]").at(object_, {});
    if (label != nullptr && label->is_string()) {
      return add(std::move(out), label->get_ref<const std::string&>());
    }
    return add(std::move(out), kind_.kind == "Namespace" ? metadata_text(object_, "name") : ns_);
  }
  if (rule.starts_with("role:")) {
    const bool is_cluster_role = out.kinds[0].kind == "ClusterRole";
    return add(std::move(out), is_cluster_role ? "" : ns_);
  }
  if (!rule_->ns_path.is_empty()) {
    const Json* value = rule_->ns_path.at(object_, found.indices);
    return add(std::move(out),
               value != nullptr && value->is_string() ? value->get_ref<const std::string&>() : ns_);
  }
  add(std::move(out), given.empty() ? ns_ : given);
}

void ReferencePlaces::place_by_sibling(const FoundField& found, Reference out) {
  const Json& parent = *found.parent;
  const auto names = parent.find("namespaces");
  const auto space = parent.find("namespaceSelector");
  if (names != parent.end() && names->is_array() && !names->empty()) {
    for (const Json& name : *names) {
      if (name.is_string()) out.namespaces.push_back(name.get<std::string>());
    }
    return out_.push_back(std::move(out));
  }
  if (space == parent.end() || !space->is_object()) return add(std::move(out), ns_);
  // Prometheus: {any: true} or {matchNames: [...]}.
  if (const auto match = space->find("matchNames"); match != space->end() && match->is_array()) {
    for (const Json& name : *match) {
      if (name.is_string()) out.namespaces.push_back(name.get<std::string>());
    }
    return out_.push_back(std::move(out));
  }
  if (!space->contains("any")) out.namespace_selector = *space;
  add_anywhere(std::move(out));
}

void ReferencePlaces::add(Reference out, std::string_view ns) {
  out.namespaces.emplace_back(ns);
  out_.push_back(std::move(out));
}

void ReferencePlaces::add_anywhere(Reference out) {
  out.where = Reference::Where::kAnywhere;
  out_.push_back(std::move(out));
}

}  // namespace filecall::worker::kube
