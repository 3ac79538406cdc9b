// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "worker/exec/kube/model/impact.h"

namespace filecall::worker::kube {

/// Objects of which one is deleted.
class Cluster {
 public:
  void add(const char* kind, const char* text) { graph_.add(parse_kind(kind), Json::parse(text)); }

  Json without(const char* kind, std::string_view ns, std::string_view name,
               const std::vector<UnreadKind>& unread = {}, int depth = 3, bool is_folded = false) {
    return without(kind, ns, name, {.depth = depth, .is_folded = is_folded}, unread);
  }

  Json without(const char* kind, std::string_view ns, std::string_view name,
               const ImpactOptions& options, const std::vector<UnreadKind>& unread = {}) {
    if (!is_linked_) graph_.link();
    is_linked_ = true;
    const auto target = graph_.find(parse_kind(kind), ns, name);
    EXPECT_TRUE(target);
    return target ? analyze_impact(graph_, *target, unread, options) : Json();
  }

 private:
  ObjectGraph graph_{ReferenceTable::builtin()};
  bool is_linked_ = false;
};

/// The row of an object; null when it is not affected.
inline Json row(const Json& report, const std::string& kind, const std::string& name) {
  for (const Json& row : report["impactedResources"]) {
    if (row["kind"] == kind && row.value("name", "") == name) return row;
  }
  return {};
}

}  // namespace filecall::worker::kube
