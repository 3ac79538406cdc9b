// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "worker/exec/kube/model/impact_analysis.h"
#include "worker/exec/kube/model/impact_rows.h"
#include "worker/exec/kube/model/own_loss.h"

namespace filecall::worker::kube {
namespace {

/// Of what goes along.
constexpr std::size_t kNamedWhenFolded = 20;

constexpr std::array kEffects = {EffectType::kBreaks, EffectType::kLoses, EffectType::kExposed,
                                 EffectType::kOrphaned};

void set_identity(Json& row, const ObjectKind& kind, const std::string& ns) {
  row["kind"] = kind.kind;
  if (!kind.group.empty()) row["group"] = kind.group;
  if (!ns.empty()) row["namespace"] = ns;
}

Json unread_row(const UnreadKind& kind, Severity severity) {
  Json row = {{"reason", kind.reason}, {"mayHide", to_string(severity)}};
  set_identity(row, kind.kind, kind.ns);
  return row;
}

/// The answer about one deletion.
class ImpactReport {
 public:
  ImpactReport(const ObjectGraph& graph, std::size_t target, const ImpactAnalysis& analysis,
               const ImpactOptions& options)
      : graph_(graph), target_(target), analysis_(analysis), options_(options) {}

  Json written(const std::vector<UnreadKind>& unread) {
    const std::vector<Impact>& impacts = analysis_.impacts();
    Json out = {{"alsoDeleted", also_deleted()}, {"depth", options_.depth}};
    const std::size_t named = out["alsoDeleted"].size();
    if (const std::size_t also = analysis_.also_deleted().size(); also > named) {
      out["alsoDeletedOmitted"] = also - named;
    }
    if (options_.is_folded && named > 0) out["alsoDeletedKinds"] = deleted_kinds();
    const OwnLoss own = own_loss();
    out["intrinsic"] = {{"severity", to_string(own.severity)}, {"effect", own.effect}};
    if (own.object != target_) out["intrinsic"]["of"] = title_of(graph_.at(own.object));
    Severity overall = own.severity;
    if (!impacts.empty()) overall = std::max(overall, impacts.front().severity);
    ImpactRows(graph_, target_, analysis_, options_).write(out);
    Json hidden = Json::array();
    for (const UnreadKind& kind : unread) {
      const Severity severity = std::max(kind.may_hide, hidden_severity(kind.kind));
      overall = std::max(overall, severity);
      hidden.push_back(unread_row(kind, severity));
    }
    for (Json& row : partly_read()) {
      overall = std::max(overall, graph_.table().possible().target_deleted);
      hidden.push_back(std::move(row));
    }
    const std::size_t not_followed = analysis_.not_followed();
    out["complete"] = hidden.empty() && not_followed == 0 && unknown_deletions().empty();
    if (not_followed > 0) out["notFollowed"] = not_followed;
    out["summary"] = summary(overall, unread.size(), hidden.size() - unread.size());
    out["unread"] = std::move(hidden);
    if (Json kinds = not_modelled(); !kinds.empty()) out["notModelled"] = std::move(kinds);
    out["severity"] = to_string(overall);
    out["notes"] = notes();
    if (!options_.path.empty() && !out.contains("omitted") && out["impactedResources"].empty() &&
        named == 0) {
      out["notes"].push_back(fmt::format("nothing that is affected is at {}", options_.path));
    }
    return out;
  }

 private:
  OwnLoss own_loss() const {
    OwnLoss own = worst_own_loss(graph_, target_, analysis_.deleted());
    if (own.severity == Severity::kNone) {
      own.object = target_;
      const std::string_view idle = idleness(graph_.at(target_));
      own.effect = idle.empty() ? "By itself it does nothing that would stop."
                                : fmt::format("It does nothing now: {}.", idle);
    } else if (analysis_.controller() != nullptr && own.severity > Severity::kLow) {
      own.severity = Severity::kLow;
      own.effect += " Its controller creates it again.";
    }
    return own;
  }

  /// What a kind that was not read may hide.
  Severity hidden_severity(const ObjectKind& kind) const {
    if (kind.kind == "*")
      return graph_.table().is_known_group(kind.group) ? Severity::kNone : Severity::kMedium;
    Severity out = graph_.table().is_modelled(kind) ? Severity::kNone : Severity::kMedium;
    const ObjectKind& target = graph_.at(target_).kind;
    const auto is_for = [](const ReferenceRule& rule, const ObjectKind& to) {
      return rule.from.kind != "*" &&
             (rule.to.empty() || std::ranges::find(rule.to, to) != rule.to.end());
    };
    for (const ReferenceRule* rule : graph_.table().rules_for(kind)) {
      if (is_for(*rule, target)) out = std::max(out, rule->target_deleted);
    }
    for (const ReferenceRule* rule : graph_.table().rules_for(target)) {
      if (is_for(*rule, kind)) out = std::max(out, rule->source_deleted);
    }
    return out;
  }

  /// Objects that may refer to more than was looked at, the first of each kind by name.
  std::vector<Json> partly_read() const {
    std::map<std::string, Json> rows;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const GraphObject& object = graph_.at(i);
      if (!object.is_cut) continue;
      Json& row = rows[kind_text(object.kind)];
      if (row.is_null()) {
        row = {{"name", object.name},
               {"objects", 0},
               {"reason", "more fields look like references than are looked at"},
               {"mayHide", to_string(graph_.table().possible().target_deleted)}};
        set_identity(row, object.kind, object.ns);
      }
      row["objects"] = row["objects"].get<int>() + 1;
    }
    std::vector<Json> out;
    out.reserve(rows.size());
    for (auto& [kind, row] : rows) out.push_back(std::move(row));
    return out;
  }

  Json deleted_kinds() const {
    std::map<std::string, std::size_t> kinds;
    for (const auto& [object, reason] : analysis_.also_deleted()) {
      ++kinds[kind_text(graph_.at(object).kind)];
    }
    return kinds;
  }

  /// Whether the table knows what the loss of all that is deleted means.
  /// Kinds of what goes of which nobody knows what stops with their objects.
  std::set<std::string> unknown_deletions() const {
    std::set<std::string> kinds;
    for (const std::size_t object : analysis_.deleted()) {
      const ObjectKind& kind = graph_.at(object).kind;
      if (!graph_.table().is_modelled(kind)) kinds.insert(kind_text(kind));
    }
    return kinds;
  }

  /// Kinds of which objects were read, for whose references only the looks of their fields speak.
  Json not_modelled() const {
    std::set<std::string> kinds;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (!graph_.table().is_modelled(graph_.at(i).kind))
        kinds.insert(kind_text(graph_.at(i).kind));
    }
    return kinds;
  }

  Json also_deleted() const {
    Json out = Json::array();
    const bool is_short = options_.is_folded && options_.path.empty();
    const std::size_t named_max =
        is_short ? std::min(kNamedWhenFolded, options_.resources_max) : options_.resources_max;
    for (const auto& [object, reason] : analysis_.also_deleted()) {
      if (out.size() >= named_max) break;
      const GraphObject& gone = graph_.at(object);
      if (!options_.path.empty() && !is_at_path(gone, options_.path)) continue;
      const bool is_owned = reason.second->match == ReferenceMatch::kOwner;
      Json row = {{"name", gone.name},
                  {"why", fmt::format("{} {}", is_owned ? "owned by" : "part of",
                                      title_of(graph_.at(reason.first)))}};
      set_identity(row, gone.kind, gone.ns);
      out.push_back(std::move(row));
    }
    return out;
  }

  Json notes() const {
    Json out = Json::array();
    const GraphObject& target = graph_.at(target_);
    if (const Reference* controller = analysis_.controller()) {
      out.push_back(fmt::format("{} {} controls it and creates it again", controller->kinds[0].kind,
                                controller->name));
    }
    if (const auto* known = graph_.table().well_known(target.kind, target.ns, target.name)) {
      out.push_back(fmt::format("well-known object: {}", known->note));
    }
    const std::string& kind = target.kind.kind;
    if (analysis_.impacts().empty() && (kind == "ConfigMap" || kind == "Secret")) {
      out.push_back(
          "No reference was found; programs that read it by name or label through the "
          "API cannot be seen.");
    }
    return out;
  }

  /// "2 break, 1 exposed", each object with its worst effect.
  std::string tally() const {
    std::array<std::set<std::size_t>, kEffects.size()> objects;
    std::set<std::size_t> counted;
    for (std::size_t i = 0; i < kEffects.size(); ++i) {
      for (const Impact& impact : analysis_.impacts()) {
        if (impact.effect == kEffects[i] && !counted.contains(impact.object)) {
          objects[i].insert(impact.object);
        }
      }
      counted.insert(objects[i].begin(), objects[i].end());
    }
    std::string out;
    for (std::size_t i = 0; i < kEffects.size(); ++i) {
      if (objects[i].empty()) continue;
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", objects[i].size(),
                         effect_words(kEffects[i], objects[i].size()));
    }
    return out;
  }

  static std::string_view effect_words(EffectType effect, std::size_t count) {
    if (effect == EffectType::kBreaks) return count == 1 ? "breaks" : "break";
    if (effect == EffectType::kLoses) return count == 1 ? "loses something" : "lose something";
    return effect == EffectType::kExposed ? "exposed" : "orphaned";
  }

  std::string summary(Severity overall, std::size_t unread, std::size_t partly_read) const {
    const std::size_t also = analysis_.also_deleted().size();
    const std::string others = tally();
    std::string out = fmt::format("Deleting {}: {}. Of other objects {}; {} deleted with it.",
                                  title_of(graph_.at(target_)), to_string(overall),
                                  others.empty() ? "none is affected" : others, also);
    if (overall == Severity::kNone) {
      out += " Nothing that was read refers to it.";
    } else if (const OwnLoss own = own_loss(); own.severity == overall) {
      out += fmt::format(" Itself{}: {}",
                         own.object == target_ ? "" : ", with " + title_of(graph_.at(own.object)),
                         own.effect);
    }
    if (!analysis_.impacts().empty()) {
      const Impact& worst = analysis_.impacts().front();
      out += fmt::format(" Worst: {} ({}){}{}", title_of(graph_.at(worst.object)),
                         to_string(worst.severity), worst.why.empty() ? "." : ": ", worst.why);
    }
    if (unread > 0) {
      out +=
          fmt::format(" Incomplete: {} kind{} could not be read.", unread, unread == 1 ? "" : "s");
    }
    if (partly_read > 0) {
      out += fmt::format(" Incomplete: objects of {} kind{} may refer to more than is looked at.",
                         partly_read, partly_read == 1 ? "" : "s");
    }
    if (const std::size_t count = analysis_.not_followed(); count > 0) {
      out += fmt::format(" Incomplete: {} break{} at the last step; a greater depth follows {}.",
                         count, count == 1 ? "s" : "", count == 1 ? "it" : "them");
    }
    if (const std::set<std::string> kinds = unknown_deletions(); !kinds.empty()) {
      const std::size_t more = kinds.size() - 1;
      out += fmt::format(
          " Incomplete: what stops with objects of {}{} is not known, their controllers decide it.",
          *kinds.begin(), more > 0 ? fmt::format(" and {} more kinds", more) : "");
    }
    if (const std::size_t kinds = not_modelled().size(); kinds > 0) {
      out += fmt::format(" {} kind{} known by the looks of {} fields alone (notModelled).", kinds,
                         kinds == 1 ? " is" : "s are", kinds == 1 ? "its" : "their");
    }
    return out;
  }

  const ObjectGraph& graph_;
  const std::size_t target_;
  const ImpactAnalysis& analysis_;
  const ImpactOptions& options_;
};

}  // namespace

Json analyze_impact(const ObjectGraph& graph, std::size_t target,
                    const std::vector<UnreadKind>& unread, const ImpactOptions& options) {
  ImpactAnalysis analysis(graph, target);
  analysis.run(options.depth);
  return ImpactReport(graph, target, analysis, options).written(unread);
}

}  // namespace filecall::worker::kube
