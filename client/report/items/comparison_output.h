// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/report/items/comparison.h"
#include "ipc/json.h"

namespace filecall::client {

struct ComparedNames {
  std::string a;  ///< For people; see ItemSource::name().
  std::string b;
};

/// For a terminal: tables, and the items that changed. Pure, as the next.
std::string comparison_text(const RunComparison& comparison, const ComparedNames& names,
                            std::size_t columns);
/// For a comment on a change: GitHub's Markdown. `missed`: of missed_thresholds(). Texts of
/// requests and models can neither mark up nor address anybody.
std::string comparison_markdown(const RunComparison& comparison, const ComparedNames& names,
                                const std::vector<std::string>& missed);
/// A page that needs no network.
std::string comparison_html(const RunComparison& comparison, const ComparedNames& names,
                            const std::vector<std::string>& missed);
/// {format: "filecall-comparison", version: 1, a, b, groups, all, only_a, only_b, regressions,
/// improvements, changes}; a paired comparison is {items, only_a, only_b, mean_a, mean_b,
/// difference, standard_error, low, high, p_value, sign_test_p, wins, ties, losses}.
Json comparison_json(const RunComparison& comparison, const ComparedNames& names);

}  // namespace filecall::client
