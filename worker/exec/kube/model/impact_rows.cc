// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/impact_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace filecall::worker::kube {
namespace {

/// So many rows that differ in the name alone become one, which names some.
constexpr std::size_t kAlikeMin = 4;
constexpr std::size_t kAlikeNamed = 20;

}  // namespace

bool is_at_path(const GraphObject& object, const std::string& path) {
  const std::string own = object.ns.empty()
                              ? fmt::format("{}/{}", object.kind.kind, object.name)
                              : fmt::format("{}/{}/{}", object.kind.kind, object.ns, object.name);
  return own == path || own.starts_with(path + "/");
}

void ImpactRows::write(Json& out) {
  if (!options_.path.empty()) {
    expanded();
  } else {
    options_.is_folded ? folded() : all();
  }
  if (!reasons_.empty()) out["reasons"] = std::move(reasons_);
  if (omitted_ > 0) {
    out["omitted"] = omitted_;
    out["omittedKinds"] = omitted_kinds_;
  }
  out["impactedResources"] = std::move(rows_);
}

void ImpactRows::all() {
  for (const Impact& impact : analysis_.impacts()) {
    add(row(impact), kind_text(graph_.at(impact.object).kind), 1);
  }
}

void ImpactRows::folded() {
  const std::vector<FoldedImpact> impacts = fold_impacts(graph_, analysis_.impacts());
  std::map<std::string, std::vector<std::size_t>> groups;
  std::vector<Json> rows;
  std::vector<std::string> keys;
  for (const FoldedImpact& impact : impacts) {
    rows.push_back(folded_row(impact));
    Json key = rows.back();
    for (const char* member : {"name", "path", "morePaths", "with"}) key.erase(member);
    keys.push_back(dump_json(key));
    groups[keys.back()].push_back(rows.size() - 1);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<std::size_t>& group = groups[keys[i]];
    const std::string kind = kind_text(graph_.at(impacts[i].worst->object).kind);
    if (group.size() < kAlikeMin) {
      add(std::move(rows[i]), kind, 1);
    } else if (group.front() == i) {
      std::vector<Json> members;
      members.reserve(group.size());
      for (const std::size_t member : group) members.push_back(std::move(rows[member]));
      add(alike(members), kind, members.size());
    }
  }
}

Json ImpactRows::alike(const std::vector<Json>& rows) const {
  Json out = rows.front();
  for (const char* member : {"name", "path", "morePaths"}) out.erase(member);
  out["count"] = rows.size();
  out["names"] = Json::array();
  Json with = Json::object();
  for (const Json& one : rows) {
    if (out["names"].size() < kAlikeNamed) out["names"].push_back(one["name"]);
    if (!one.contains("with")) continue;
    for (const auto& [kind, count] : one["with"].items()) {
      with[kind] = with.value(kind, std::size_t{0}) + count.get<std::size_t>();
    }
  }
  if (!with.empty()) out["with"] = std::move(with);
  return out;
}

void ImpactRows::expanded() {
  for (const FoldedImpact& folded : fold_impacts(graph_, analysis_.impacts())) {
    const GraphObject& owner = graph_.at(folded.worst->object);
    const bool is_group = is_at_path(owner, options_.path);
    if (is_group) {
      for (const Impact& impact : analysis_.impacts()) {
        if (impact.object == folded.worst->object) add(short_row(impact), kind_text(owner.kind), 1);
      }
    }
    for (const Impact* with : folded.covered) {
      const GraphObject& object = graph_.at(with->object);
      if (is_group || is_at_path(object, options_.path))
        add(short_row(*with), kind_text(object.kind), 1);
    }
  }
}

void ImpactRows::add(Json row, const std::string& kind, std::size_t objects) {
  const std::size_t bytes = dump_json(row).size() + 1;
  if (omitted_ > 0 || rows_.size() >= options_.resources_max ||
      bytes_ + bytes > options_.bytes_max) {
    omitted_ += objects;
    omitted_kinds_[kind] += objects;
    return;
  }
  bytes_ += bytes;
  rows_.push_back(std::move(row));
}

Json ImpactRows::row(const Impact& impact) const {
  const GraphObject& object = graph_.at(impact.object);
  Json out = {{"name", object.name},
              {"refType", impact.reference->rule->match_name},
              {"path", impact.reference->path},
              {"severity", to_string(impact.severity)},
              {"effect", to_string(impact.effect)},
              {"why", impact.why},
              {"direction", impact.is_incoming ? "refers to it" : "is referred to by it"},
              {"distance", impact.distance},
              {"kind", object.kind.kind}};
  if (!object.kind.group.empty()) out["group"] = object.kind.group;
  if (!object.ns.empty()) out["namespace"] = object.ns;
  if (impact.reference->rule->match == ReferenceMatch::kPossible) out["possible"] = true;
  if (impact.is_incoming && !impact.reference->rule->timing.empty()) {
    out["timing"] = impact.reference->rule->timing;
  }
  if (impact.through != target_) out["through"] = title_of(graph_.at(impact.through));
  return out;
}

Json ImpactRows::short_row(const Impact& impact) {
  Json out = row(impact);
  const Json why = out["why"];
  for (const char* member : {"why", "refType"}) out.erase(member);
  if (impact.is_incoming) out.erase("direction");
  if (why != Json("")) {
    const auto found = std::ranges::find(reasons_, why);
    out["reason"] = found - reasons_.begin();
    if (found == reasons_.end()) reasons_.push_back(why);
  }
  return out;
}

Json ImpactRows::folded_row(const FoldedImpact& impact) {
  Json out = short_row(*impact.worst);
  if (impact.more_paths > 0) out["morePaths"] = impact.more_paths;
  if (!impact.with.empty()) out["with"] = impact.with;
  return out;
}

}  // namespace filecall::worker::kube
