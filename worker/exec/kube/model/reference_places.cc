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
  if (rule.starts_with("names:")) return place_by_names(found, std::move(out));
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

namespace {

void add_names(const Json& names, Reference& out) {
  for (const Json& name : names) {
    if (name.is_string()) out.namespaces.push_back(name.get<std::string>());
  }
}

}  // namespace

void ReferencePlaces::place_by_sibling(const FoundField& found, Reference out) {
  const Json& parent = *found.parent;
  const auto names = parent.find("namespaces");
  const auto space = parent.find("namespaceSelector");
  const bool has_names = names != parent.end() && names->is_array() && !names->empty();
  const bool has_selector = space != parent.end() && space->is_object();
  if (has_selector) out.namespace_selector = *space;
  if (has_names) {
    add_names(*names, out);
    return out_.push_back(std::move(out));
  }
  has_selector ? add_anywhere(std::move(out)) : add(std::move(out), ns_);
}

void ReferencePlaces::place_by_names(const FoundField& found, Reference out) {
  const auto space = found.parent->find("namespaceSelector");
  if (space == found.parent->end() || !space->is_object()) return add(std::move(out), ns_);
  if (space->value("any", Json()) == Json(true)) return add_anywhere(std::move(out));
  const auto names = space->find("matchNames");
  if (names == space->end() || !names->is_array() || names->empty()) {
    return add(std::move(out), ns_);
  }
  add_names(*names, out);
  out_.push_back(std::move(out));
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
