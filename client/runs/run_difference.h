// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/runs/run_record.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// Requests that two lists tell apart; the first of them by their ids.
struct ListedApart {
  static constexpr std::size_t kNamed = 20;
  std::int64_t count = 0;
  std::vector<std::string> ids;

  void add(const std::string& id) {
    if (++count <= static_cast<std::int64_t>(kNamed)) ids.push_back(id);
  }
};

/// What one run asked and another did not.
struct RunDifference {
  Json setup = Json::array();  ///< Turns the setup of A into that of B: a JSON Patch (RFC 6902).
  std::int64_t in_both = 0;
  ListedApart only_a;
  ListedApart only_b;
  /// In both, with other metadata (a label was corrected, a column added).
  ListedApart other_metadata;
};

/// Compares the setups and the lists of two runs of one root. Some 32 bytes a request. Failures:
/// the lists'.
Result<RunDifference> compare_run_lists(const spool::Layout& layout, const RunRecord& a,
                                        const RunRecord& b);
Json run_difference_json(const RunRecord& a, const RunRecord& b, const RunDifference& difference);

}  // namespace filecall::client
