// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/own_loss.h"

#include <fmt/format.h>

#include <algorithm>

#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

bool is_something(const Json& value) {
  return !value.is_null() && value != Json(false) && value != Json(0) && value != Json("") &&
         !(value.is_structured() && value.empty());
}

/// Null when it is not there.
const Json& part_named(const Json& value, const char* name) {
  static const Json kNothing;
  if (!value.is_object()) return kNothing;
  const auto found = value.find(name);
  return found == value.end() ? kNothing : *found;
}

bool has_controller(const GraphObject& object) {
  return std::ranges::any_of(object.references, &Reference::is_controller);
}

/// Whether objects go with this one, other than those that each namespace has by itself.
bool has_contents(const ObjectGraph& graph, std::size_t target,
                  const std::set<std::size_t>& deleted) {
  return std::ranges::any_of(deleted, [&](std::size_t object) {
    const GraphObject& other = graph.at(object);
    const WellKnownObject* known = graph.table().well_known(other.kind, other.ns, other.name);
    return object != target && (known == nullptr || known->severity > Severity::kInfo);
  });
}

/// Whether the object does something for others that are not idle, also for those that go with it.
bool has_targets(const ObjectGraph& graph, std::size_t object) {
  return std::ranges::any_of(graph.out_edges(object), [&](const GraphEdge& edge) {
    return edge.reference->rule->source_effect_type != EffectType::kNone &&
           idleness(graph.at(edge.target)).empty();
  });
}

bool counts_for(const DeletedKind& row, const GraphObject& object) {
  if (row.is_void_when_idle && !idleness(object).empty()) return false;
  if (row.is_void_when_controlled && has_controller(object)) return false;
  if (row.when.is_empty()) return true;
  const Json* found = row.when.at(object.object, {});
  if (found == nullptr) return false;
  return row.when_value.empty() ? is_something(*found) : *found == Json(row.when_value);
}

}  // namespace

std::string_view idleness(const GraphObject& object) {
  // Looked at where they are: they may be megabytes, and each edge of the graph asks.
  const Json& spec = part_named(object.object, "spec");
  const Json& status = part_named(object.object, "status");
  if (part_named(spec, "replicas") == 0) return "scaled to 0";
  if (part_named(spec, "suspend") == true) return "suspended";
  const std::string_view phase = text_of(status, "phase");
  if (object.kind.kind == "Pod" && (phase == "Succeeded" || phase == "Failed")) return "finished";
  if (object.kind.kind == "Job" && !part_named(status, "completionTime").is_null())
    return "finished";
  return {};
}

OwnLoss worst_own_loss(const ObjectGraph& graph, std::size_t target,
                       const std::set<std::size_t>& deleted) {
  OwnLoss worst;
  const auto take = [&](std::size_t object, Severity severity, const std::string& effect) {
    const bool is_own = object == target && severity == worst.severity && worst.object != target;
    if (severity > worst.severity || is_own) worst = {severity, effect, object};
  };
  for (const std::size_t gone : deleted) {
    const GraphObject& object = graph.at(gone);
    for (const DeletedKind& row : graph.table().deleted()) {
      if (row.kind != object.kind || !counts_for(row, object)) continue;
      if (row.is_for_contents && (gone != target || !has_contents(graph, target, deleted))) {
        continue;
      }
      if (row.is_for_targets && !has_targets(graph, gone)) continue;
      take(gone, row.severity, row.effect);
    }
    if (!graph.table().is_modelled(object.kind)) {
      take(gone, Severity::kMedium,
           fmt::format("What the controller of {} does without it is not known.",
                       kind_text(object.kind)));
    }
    if (const auto* known = graph.table().well_known(object.kind, object.ns, object.name)) {
      take(gone, known->severity, known->note);
    }
  }
  return worst;
}

}  // namespace filecall::worker::kube
