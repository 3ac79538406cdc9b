// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/impact_analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "worker/exec/kube/model/own_loss.h"

namespace filecall::worker::kube {
namespace {

bool is_containment(const ReferenceRule& rule) {
  return rule.match == ReferenceMatch::kOwner || rule.match == ReferenceMatch::kGroupKind ||
         (rule.from.kind == "*" && rule.match == ReferenceMatch::kName);
}

bool is_controlled(const GraphObject& object) {
  return std::ranges::any_of(object.references, &Reference::is_controller);
}

/// Whether what is at a path says that the deleted object is made again for it.
bool is_remade(const ReferenceRule& rule, const GraphObject& target) {
  if (rule.remade_with.is_empty()) return false;
  const Json* found = rule.remade_with.at(target.object, {});
  return found != nullptr && !found->empty();
}

bool is_within(std::string_view pointer, std::string_view part) {
  return pointer.starts_with(part) &&
         (pointer.size() == part.size() || pointer[part.size()] == '/');
}

void add_reason(std::string& why, const std::string& reason) {
  why += why.empty() ? reason : "; " + reason;
}

}  // namespace

std::string title_of(const GraphObject& object) {
  return object.ns.empty() ? fmt::format("{} {}", object.kind.kind, object.name)
                           : fmt::format("{} {}/{}", object.kind.kind, object.ns, object.name);
}

void ImpactAnalysis::run(int depth) {
  find_controller();
  close();
  lost_ = deleted_;
  for (const std::size_t gone : deleted_) {
    for (const GraphEdge& edge : graph_.in_edges(gone)) incoming(edge);
    for (const GraphEdge& edge : graph_.out_edges(gone)) outgoing(edge);
  }
  follow(depth);
  const auto key = [&](const Impact& impact) {
    return std::tuple(-static_cast<int>(impact.severity), impact.distance,
                      title_of(graph_.at(impact.object)), impact.reference->path);
  };
  std::ranges::sort(impacts_, {}, key);
}

void ImpactAnalysis::find_controller() {
  for (const Reference& reference : graph_.at(target_).references) {
    if (reference.is_controller) controller_ = &reference;
  }
}

void ImpactAnalysis::close() {
  std::vector<std::size_t> todo = {target_};
  deleted_.insert(target_);
  while (!todo.empty()) {
    const std::size_t gone = todo.back();
    todo.pop_back();
    for (const GraphEdge& edge : graph_.in_edges(gone)) {
      const ReferenceRule& rule = *edge.reference->rule;
      if (!is_containment(rule) || deleted_.contains(edge.source)) continue;
      if (rule.match == ReferenceMatch::kOwner && has_other_owner(edge.source)) continue;
      deleted_.insert(edge.source);
      why_deleted_[edge.source] = {gone, &rule};
      todo.push_back(edge.source);
    }
  }
}

/// The collector keeps an object as long as one of its owners is there.
bool ImpactAnalysis::has_other_owner(std::size_t object) const {
  return std::ranges::any_of(graph_.out_edges(object), [&](const GraphEdge& edge) {
    return edge.reference->rule->match == ReferenceMatch::kOwner && !deleted_.contains(edge.target);
  });
}

std::size_t ImpactAnalysis::remaining(const GraphEdge& edge) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph_.out_edges(edge.source), [&](const GraphEdge& other) {
        return other.reference == edge.reference && !lost_.contains(other.target);
      }));
}

bool ImpactAnalysis::keeps_a_part(const GraphEdge& edge) const {
  std::vector<std::string_view> lost;
  for (const GraphEdge& other : graph_.out_edges(edge.source)) {
    const ReferenceRule& rule = *other.reference->rule;
    if (rule.effect_type == EffectType::kBreaks && lost_.contains(other.target) &&
        !other.reference->is_optional && remaining(other) == 0) {
      lost.push_back(other.reference->path);
    }
  }
  bool keeps = false;
  for (const FieldPath& part : edge.reference->rule->parts) {
    part.visit(graph_.at(edge.source).object, [&](const FoundField& found) {
      keeps = keeps || std::ranges::none_of(lost, [&](std::string_view path) {
                return is_within(path, found.pointer);
              });
    });
  }
  return keeps;
}

EffectType ImpactAnalysis::effect_on_source(const GraphEdge& edge) const {
  const EffectType type = edge.reference->rule->effect_type;
  if (type != EffectType::kBreaks) return type;
  const bool is_spared = edge.reference->is_optional || controller_ != nullptr ||
                         remaining(edge) > 0 || keeps_a_part(edge);
  return is_spared ? EffectType::kLoses : type;
}

Severity ImpactAnalysis::adjusted(Severity severity, const GraphEdge& edge, bool is_incoming,
                                  std::string& why) const {
  if (is_incoming) {
    const bool is_selector = !edge.reference->selector.is_null();
    if (const std::size_t others = remaining(edge); others > 0) {
      severity = lowered(severity);
      add_reason(why, fmt::format("{} other object{} still fit{}", others, others == 1 ? "" : "s",
                                  others == 1 ? "s" : ""));
    } else if (is_selector && graph_.at(edge.source).kind == ObjectKind{"", "Service"} &&
               deleted_.contains(edge.target)) {
      severity = Severity::kCritical;
      add_reason(why, "no endpoint is left");
    }
  }
  if (const std::string_view idle = idleness(graph_.at(is_incoming ? edge.source : edge.target));
      !idle.empty()) {
    severity = lowered(severity);
    add_reason(why, std::string(idle));
  }
  if (is_incoming && edge.reference->is_optional && severity > Severity::kLow) {
    severity = Severity::kLow;
    add_reason(why, "the reference is optional");
  }
  if (controller_ != nullptr && severity > Severity::kLow) {
    severity = Severity::kLow;
    add_reason(why, "its controller creates it again");
  }
  return severity;
}

void ImpactAnalysis::incoming(const GraphEdge& edge) {
  const ReferenceRule& rule = *edge.reference->rule;
  if (deleted_.contains(edge.source) || rule.effect_type == EffectType::kNone) return;
  std::string why = rule.effect;
  const Severity severity = adjusted(edge.reference->severity, edge, true, why);
  add({edge.source, edge.reference, severity, effect_on_source(edge), std::move(why), true, 1,
       edge.target});
}

void ImpactAnalysis::outgoing(const GraphEdge& edge) {
  const ReferenceRule& rule = *edge.reference->rule;
  if (deleted_.contains(edge.target) || rule.source_effect_type == EffectType::kNone) return;
  // A selector fits it, but it belongs to another controller.
  const bool is_orphaned = rule.source_effect_type == EffectType::kOrphaned;
  if (is_orphaned && is_controlled(graph_.at(edge.target))) return;
  std::string why = rule.source_effect;
  Severity severity = adjusted(rule.source_deleted, edge, false, why);
  EffectType effect = rule.source_effect_type;
  if (severity > Severity::kLow && is_remade(rule, graph_.at(edge.target))) {
    severity = Severity::kLow;
    add_reason(why, "its controller creates it again");
  }
  if (effect == EffectType::kBreaks && controller_ != nullptr) effect = EffectType::kLoses;
  add({edge.target, edge.reference, severity, effect, std::move(why), false, 1, edge.source});
}

void ImpactAnalysis::add(Impact impact) {
  if (!written_.insert({impact.object, impact.reference, impact.is_incoming}).second) return;
  impacts_.push_back(std::move(impact));
}

bool ImpactAnalysis::is_followed(const Impact& impact) {
  return impact.severity >= Severity::kHigh && impact.effect == EffectType::kBreaks;
}

void ImpactAnalysis::follow(int depth) {
  std::vector<Impact> level = impacts_;
  for (int distance = 2; distance <= depth && !level.empty(); ++distance) {
    std::map<std::size_t, Severity> broken;
    for (const Impact& impact : level) {
      reached_.insert(impact.object);
      if (!is_followed(impact)) continue;
      lost_.insert(impact.object);
      Severity& worst = broken.emplace(impact.object, impact.severity).first->second;
      worst = std::max(worst, impact.severity);
    }
    level.clear();
    // A reference to several of them counts once, by the worst.
    for (const Severity severity : {Severity::kCritical, Severity::kHigh}) {
      for (const auto& [object, worst] : broken) {
        if (worst != severity) continue;
        for (const GraphEdge& edge : graph_.in_edges(object)) {
          step(edge, severity, distance, level);
        }
      }
    }
    impacts_.insert(impacts_.end(), level.begin(), level.end());
  }
  std::set<std::size_t> last;
  for (const Impact& impact : level) {
    if (is_followed(impact)) last.insert(impact.object);
  }
  not_followed_ = last.size();
}

void ImpactAnalysis::step(const GraphEdge& edge, Severity broken, int distance,
                          std::vector<Impact>& level) {
  const Reference& reference = *edge.reference;
  if (deleted_.contains(edge.source) || reached_.contains(edge.source) ||
      reference.rule->effect_type == EffectType::kNone || reference.severity < Severity::kMedium) {
    return;
  }
  std::string why = fmt::format("depends on {}, which breaks", title_of(graph_.at(edge.target)));
  const Severity severity =
      adjusted(lowered(std::min(reference.severity, broken)), edge, true, why);
  if (!written_.insert({edge.source, edge.reference, true}).second) return;
  level.push_back({edge.source, edge.reference, severity, effect_on_source(edge), std::move(why),
                   true, distance, edge.target});
}

}  // namespace filecall::worker::kube
