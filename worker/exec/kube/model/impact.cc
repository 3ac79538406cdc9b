// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/impact.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

struct Impact {
  std::size_t object = 0;
  const Reference* reference = nullptr;
  Severity severity = Severity::kInfo;
  std::string why;
  bool is_incoming = true;
  int distance = 1;
  std::size_t through = 0;  ///< What it refers to, or is referred to by.
};

std::string title(const GraphObject& object) {
  return object.ns.empty() ? fmt::format("{} {}", object.kind.kind, object.name)
                           : fmt::format("{} {}/{}", object.kind.kind, object.ns, object.name);
}

bool is_containment(const ReferenceRule& rule) {
  return rule.match == ReferenceMatch::kOwner || rule.match == ReferenceMatch::kGroupKind ||
         (rule.from.kind == "*" && rule.match == ReferenceMatch::kName);
}

/// Why the object does nothing now, so that a loss does not hurt at once; "" when it runs.
std::string_view idleness(const GraphObject& object) {
  const Json spec = object.object.value("spec", Json::object());
  const Json status = object.object.value("status", Json::object());
  if (spec.is_object() && spec.value("replicas", Json()) == Json(0)) return "scaled to 0";
  if (spec.is_object() && spec.value("suspend", Json()) == Json(true)) return "suspended";
  const std::string_view phase = text_of(status, "phase");
  if (object.kind.kind == "Pod" && (phase == "Succeeded" || phase == "Failed")) return "finished";
  if (object.kind.kind == "Job" && status.is_object() && status.contains("completionTime")) {
    return "finished";
  }
  return {};
}

class ImpactAnalysis {
 public:
  ImpactAnalysis(const ObjectGraph& graph, std::size_t target, const ImpactOptions& options)
      : graph_(graph), target_(target), options_(options) {}

  void run() {
    find_recreation();
    close();
    for (const std::size_t gone : deleted_) {
      for (const GraphEdge& edge : graph_.in_edges(gone)) incoming(edge);
      for (const GraphEdge& edge : graph_.out_edges(gone)) outgoing(edge);
    }
    follow();
    std::sort(impacts_.begin(), impacts_.end(),
              [&](const Impact& a, const Impact& b) { return key(a) < key(b); });
  }

  Json report(const std::vector<UnreadKind>& unread) {
    const GraphObject& target = graph_.at(target_);
    Severity overall = impacts_.empty() ? Severity::kInfo : impacts_.front().severity;
    Json out = {{"alsoDeleted", also_deleted()}, {"depth", options_.depth}};
    if (const DeletedKind* row = graph_.table().deleted(target.kind)) {
      const Severity own = is_recreated_ ? std::min(row->severity, Severity::kLow) : row->severity;
      out["intrinsic"] = {{"severity", to_string(own)}, {"effect", row->effect}};
      overall = std::max(overall, own);
    }
    Json resources = Json::array();
    for (const Impact& impact : impacts_) {
      if (resources.size() >= options_.resources_max) break;
      resources.push_back(row(impact));
    }
    if (resources.size() < impacts_.size()) out["omitted"] = impacts_.size() - resources.size();
    out["impactedResources"] = std::move(resources);
    Json hidden = Json::array();
    for (const UnreadKind& kind : unread) {
      const Severity severity = hidden_severity(kind.kind);
      overall = std::max(overall, severity);
      hidden.push_back(unread_row(kind, severity));
    }
    out["complete"] = unread.empty();
    out["unread"] = std::move(hidden);
    out["severity"] = to_string(overall);
    out["notes"] = notes();
    out["summary"] = summary(target, overall, unread);
    return out;
  }

 private:
  std::tuple<int, int, std::string, std::string> key(const Impact& impact) const {
    return {-static_cast<int>(impact.severity), impact.distance, title(graph_.at(impact.object)),
            impact.reference->path};
  }

  void find_recreation() {
    for (const Reference& reference : graph_.at(target_).references) {
      if (!reference.is_controller) continue;
      is_recreated_ = true;
      notes_.push_back(fmt::format("{} {} controls it and makes it anew", reference.kinds[0].kind,
                                   reference.name));
    }
    const GraphObject& target = graph_.at(target_);
    const std::string_view known = graph_.table().well_known(target.kind, target.ns, target.name);
    if (!known.empty()) notes_.push_back(fmt::format("well-known object: {}", known));
  }

  /// What goes with the object, and with what goes with it.
  void close() {
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
  bool has_other_owner(std::size_t object) const {
    const auto& edges = graph_.out_edges(object);
    return std::any_of(edges.begin(), edges.end(), [&](const GraphEdge& edge) {
      return edge.reference->rule->match == ReferenceMatch::kOwner &&
             !deleted_.contains(edge.target);
    });
  }

  std::size_t remaining(const GraphEdge& edge) const {
    const auto& edges = graph_.out_edges(edge.source);
    return static_cast<std::size_t>(
        std::count_if(edges.begin(), edges.end(), [&](const GraphEdge& other) {
          return other.reference == edge.reference && !deleted_.contains(other.target);
        }));
  }

  /// The severity of the table, changed by what is known of the objects.
  Severity adjusted(Severity severity, const GraphEdge& edge, bool is_incoming,
                    std::string& why) const {
    const auto add = [&](const std::string& reason) {
      why += why.empty() ? reason : "; " + reason;
    };
    if (is_incoming && edge.fits > 1) {
      if (const std::size_t others = remaining(edge); others > 0) {
        severity = lowered(severity);
        add(fmt::format("{} other object{} still fit{}", others, others == 1 ? "" : "s",
                        others == 1 ? "s" : ""));
      }
    }
    const bool is_selector = !edge.reference->selector.is_null();
    if (is_incoming && is_selector && graph_.at(edge.source).kind == ObjectKind{"", "Service"} &&
        remaining(edge) == 0) {
      severity = Severity::kCritical;
      add("no endpoint is left");
    }
    if (const std::string_view idle = idleness(graph_.at(is_incoming ? edge.source : edge.target));
        !idle.empty()) {
      severity = lowered(severity);
      add(std::string(idle));
    }
    if (is_incoming && edge.reference->is_optional && severity > Severity::kLow) {
      severity = Severity::kLow;
      add("the reference is optional");
    }
    if (is_recreated_ && severity > Severity::kLow) {
      severity = Severity::kLow;
      add("its controller makes it anew");
    }
    return severity;
  }

  void incoming(const GraphEdge& edge) {
    if (deleted_.contains(edge.source) || is_containment(*edge.reference->rule)) return;
    std::string why = edge.reference->rule->effect;
    const Severity severity = adjusted(edge.reference->severity, edge, true, why);
    add({edge.source, edge.reference, severity, std::move(why), true, 1, edge.target});
  }

  void outgoing(const GraphEdge& edge) {
    const ReferenceRule& rule = *edge.reference->rule;
    if (deleted_.contains(edge.target) || rule.source_deleted == Severity::kInfo) return;
    std::string why = rule.source_effect;
    const Severity severity = adjusted(rule.source_deleted, edge, false, why);
    add({edge.target, edge.reference, severity, std::move(why), false, 1, edge.source});
  }

  void add(Impact impact) {
    if (!written_.insert({impact.object, impact.reference, impact.is_incoming}).second) return;
    impacts_.push_back(std::move(impact));
  }

  void follow() {
    std::set<std::size_t> reached;
    for (const Impact& impact : impacts_) reached.insert(impact.object);
    std::vector<Impact> level = impacts_;
    for (int distance = 2; distance <= options_.depth && !level.empty(); ++distance) {
      std::map<std::size_t, Severity> broken;
      for (const Impact& impact : level) {
        if (impact.severity < Severity::kHigh) continue;
        auto [entry, is_new] = broken.emplace(impact.object, impact.severity);
        if (!is_new) entry->second = std::max(entry->second, impact.severity);
      }
      level.clear();
      for (const auto& [object, severity] : broken) {
        for (const GraphEdge& edge : graph_.in_edges(object)) {
          step(edge, severity, distance, reached, level);
        }
      }
      for (const Impact& impact : level) reached.insert(impact.object);
      impacts_.insert(impacts_.end(), level.begin(), level.end());
    }
  }

  void step(const GraphEdge& edge, Severity broken, int distance,
            const std::set<std::size_t>& reached, std::vector<Impact>& level) {
    const Reference& reference = *edge.reference;
    if (deleted_.contains(edge.source) || reached.contains(edge.source) ||
        is_containment(*reference.rule) || reference.severity < Severity::kMedium) {
      return;
    }
    std::string why = fmt::format("depends on {}, which breaks", title(graph_.at(edge.target)));
    const Severity severity =
        adjusted(lowered(std::min(reference.severity, broken)), edge, true, why);
    if (!written_.insert({edge.source, edge.reference, true}).second) return;
    level.push_back(
        {edge.source, edge.reference, severity, std::move(why), true, distance, edge.target});
  }

  /// What a kind that was not read may hide.
  Severity hidden_severity(const ObjectKind& kind) const {
    Severity out = Severity::kInfo;
    const ObjectKind& target = graph_.at(target_).kind;
    for (const ReferenceRule* rule : graph_.table().rules_for(kind)) {
      const bool is_meant = std::find(rule->to.begin(), rule->to.end(), target) != rule->to.end();
      if (is_meant && rule->from.kind != "*") out = std::max(out, rule->target_deleted);
    }
    return out;
  }

  static void set_identity(Json& row, const ObjectKind& kind, const std::string& ns) {
    row["kind"] = kind.kind;
    if (!kind.group.empty()) row["group"] = kind.group;
    if (!ns.empty()) row["namespace"] = ns;
  }

  static Json unread_row(const UnreadKind& kind, Severity severity) {
    Json row = {{"reason", kind.reason}, {"mayHide", to_string(severity)}};
    set_identity(row, kind.kind, kind.ns);
    return row;
  }

  Json row(const Impact& impact) const {
    const GraphObject& object = graph_.at(impact.object);
    Json out = {{"name", object.name},
                {"refType", impact.reference->rule->match_name},
                {"path", impact.reference->path},
                {"severity", to_string(impact.severity)},
                {"why", impact.why},
                {"direction", impact.is_incoming ? "refers to it" : "is referred to by it"},
                {"distance", impact.distance}};
    set_identity(out, object.kind, object.ns);
    if (impact.is_incoming && !impact.reference->rule->timing.empty()) {
      out["timing"] = impact.reference->rule->timing;
    }
    if (impact.through != target_) out["through"] = title(graph_.at(impact.through));
    return out;
  }

  Json also_deleted() const {
    Json out = Json::array();
    for (const auto& [object, reason] : why_deleted_) {
      if (out.size() >= options_.resources_max) break;
      const GraphObject& gone = graph_.at(object);
      const bool is_owned = reason.second->match == ReferenceMatch::kOwner;
      Json row = {{"name", gone.name},
                  {"why", fmt::format("{} {}", is_owned ? "owned by" : "part of",
                                      title(graph_.at(reason.first)))}};
      set_identity(row, gone.kind, gone.ns);
      out.push_back(std::move(row));
    }
    return out;
  }

  Json notes() const {
    Json out = notes_;
    const std::string& kind = graph_.at(target_).kind.kind;
    if (impacts_.empty() && (kind == "ConfigMap" || kind == "Secret")) {
      out.push_back(
          "No reference was found; programs that read it by name or label through the "
          "API cannot be seen.");
    }
    return out;
  }

  std::string summary(const GraphObject& target, Severity overall,
                      const std::vector<UnreadKind>& unread) const {
    std::set<std::size_t> objects;
    for (const Impact& impact : impacts_) objects.insert(impact.object);
    std::string out = fmt::format(
        "Deleting {}: {}. {} other object{} affected, {} deleted with it.", title(target),
        to_string(overall), objects.size(), objects.size() == 1 ? "" : "s", why_deleted_.size());
    if (!impacts_.empty()) {
      const Impact& worst = impacts_.front();
      out += fmt::format(" Worst: {} ({}){}{}", title(graph_.at(worst.object)),
                         to_string(worst.severity), worst.why.empty() ? "." : ": ", worst.why);
    }
    if (!unread.empty()) {
      out += fmt::format(" Incomplete: {} kind{} could not be read.", unread.size(),
                         unread.size() == 1 ? "" : "s");
    }
    return out;
  }

  const ObjectGraph& graph_;
  std::size_t target_;
  ImpactOptions options_;
  bool is_recreated_ = false;
  std::set<std::size_t> deleted_;
  std::map<std::size_t, std::pair<std::size_t, const ReferenceRule*>> why_deleted_;
  std::vector<Impact> impacts_;
  std::set<std::tuple<std::size_t, const Reference*, bool>> written_;
  std::vector<std::string> notes_;
};

}  // namespace

Json analyze_impact(const ObjectGraph& graph, std::size_t target,
                    const std::vector<UnreadKind>& unread, const ImpactOptions& options) {
  ImpactAnalysis analysis(graph, target, options);
  analysis.run();
  return analysis.report(unread);
}

}  // namespace filecall::worker::kube
