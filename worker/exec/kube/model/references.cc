// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/references.h"

#include <algorithm>
#include <set>

#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/possible_references.h"
#include "worker/exec/kube/model/reference_reading.h"

namespace filecall::worker::kube {
namespace {

const ObjectKind kServiceKind{"", "Service"};
const ObjectKind kServiceEntryKind{"networking.istio.io", "ServiceEntry"};

/// What every object of a custom kind depends on.
Reference definition_of(const ReferenceRule& rule, const ObjectKind& kind) {
  Reference out;
  out.rule = &rule;
  out.path = "/kind";
  out.kinds = rule.to;
  out.name = "*." + kind.group;
  out.is_pattern = true;
  out.namespaces = {""};
  out.served_kind = kind.kind;
  out.severity = rule.target_deleted;
  return out;
}

}  // namespace

std::vector<Reference> references_of(const ReferenceTable& table, const ObjectKind& kind,
                                     const Json& object, bool* is_cut) {
  if (!object.is_object()) return {};
  ReferenceReading reading(kind, object);
  const ReferenceRule* definition = nullptr;
  for (const ReferenceRule* rule : table.rules_for(kind)) {
    if (rule->match == ReferenceMatch::kGroupKind) definition = rule;
    reading.rule(*rule);
  }
  std::vector<Reference> out = reading.take();
  const auto is_told = [&](const Reference& possible) {
    return std::ranges::any_of(out, [&](const Reference& known) {
      return known.path == possible.path || possible.path == known.path + "/name";
    });
  };
  PossibleReferences possible = possible_references(table, kind, object);
  if (is_cut != nullptr) *is_cut = possible.is_cut;
  for (Reference& one : possible.found) {
    if (!is_told(one)) out.push_back(std::move(one));
  }
  // Groups of Kubernetes itself have dots, too, and so have some custom ones beside them
  // (autoscaling.k8s.io): whether there is a definition is seen when it is looked for.
  if (definition != nullptr && kind.group.find('.') != std::string::npos) {
    out.push_back(definition_of(*definition, kind));
  }
  return out;
}

Json references_json(const std::vector<Reference>& references) {
  Json out = Json::array();
  std::set<std::string> written;
  for (const Reference& reference : references) {
    if (reference.path == "/metadata/namespace" || !reference.served_kind.empty()) continue;
    if (reference.is_less_likely) continue;
    Json row = {{"path", reference.path}};
    if (!reference.kinds.empty()) {
      const bool is_external = reference.host && reference.name.empty() && reference.subset.empty();
      const ObjectKind& kind = is_external && reference.kinds[0] == kServiceKind
                                   ? kServiceEntryKind
                                   : reference.kinds[0];
      row["kind"] = kind.kind;
      if (!kind.group.empty()) row["group"] = kind.group;
    }
    if (!reference.name.empty()) row["name"] = reference.name;
    if (reference.where == Reference::Where::kNamespaces && reference.namespaces.size() == 1 &&
        reference.namespace_selector.is_null() && !reference.namespaces[0].empty()) {
      row["namespace"] = reference.namespaces[0];
    }
    if (!reference.selector.is_null()) row["selector"] = reference.selector;
    if (reference.host) row["host"] = reference.host->host;
    if (reference.host && reference.host->form == IstioHost::Form::kNotExpanded) {
      row["hint"] = "Istio does not complete this name; write " +
                    service_host(reference.host->name, reference.host->ns);
    }
    if (!reference.subset.empty()) row["subset"] = reference.subset;
    if (!reference.key.empty()) row["key"] = reference.key;
    if (reference.is_optional) row["optional"] = true;
    if (reference.is_one_reading) row["ambiguous"] = true;
    if (reference.rule->match == ReferenceMatch::kPossible) {
      row["possible"] = true;
      if (reference.where == Reference::Where::kNamespaces && !reference.namespaces[0].empty()) {
        row["namespace"] = reference.namespaces[0];
      }
    }
    if (written.insert(dump_json(row)).second) out.push_back(std::move(row));
  }
  return out;
}

}  // namespace filecall::worker::kube
