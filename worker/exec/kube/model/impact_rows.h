// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/folded_impacts.h"
#include "worker/exec/kube/model/impact.h"
#include "worker/exec/kube/model/impact_analysis.h"

namespace filecall::worker::kube {

/// The rows of an answer about a deletion, as many as its bounds allow (for analyze_impact alone).
/// Pure.
class ImpactRows {
 public:
  /// All must outlive it.
  ImpactRows(const ObjectGraph& graph, std::size_t target, const ImpactAnalysis& analysis,
             const ImpactOptions& options)
      : graph_(graph), target_(target), analysis_(analysis), options_(options) {}

  /// Adds `impactedResources`, and what belongs to them: `reasons`, `omitted`, `omittedKinds`.
  void write(Json& out);

 private:
  void all();
  void folded();
  /// What lies at options.path, each reference and each object by itself.
  void expanded();
  /// Several rows that differ in the name alone, as one.
  Json alike(const std::vector<Json>& rows) const;
  void add(Json row, const std::string& kind, std::size_t objects);
  Json row(const Impact& impact) const;
  /// With its reason's place in `reasons`.
  Json short_row(const Impact& impact);
  Json folded_row(const FoldedImpact& impact);

  const ObjectGraph& graph_;
  const std::size_t target_;
  const ImpactAnalysis& analysis_;
  const ImpactOptions& options_;
  Json rows_ = Json::array();
  Json reasons_ = Json::array();
  std::size_t bytes_ = 0;
  std::size_t omitted_ = 0;
  std::map<std::string, std::size_t> omitted_kinds_;
};

/// Whether an object is at a path of ImpactOptions.
bool is_at_path(const GraphObject& object, const std::string& path);

}  // namespace filecall::worker::kube
