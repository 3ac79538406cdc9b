// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/eval/statistics/estimate.h"
#include "client/eval/statistics/repeats.h"

namespace filecall::client {

/// How estimates are written for people; "-" where nothing is known. Pure.

/// "0.873 ±0.021": the value and its standard error.
std::string score_text(const Estimate& estimate);
/// "0.832 to 0.914"
std::string interval_text(const Estimate& estimate);
/// "87.3 %"
std::string percent_text(const std::optional<double>& share);
std::string percent_interval_text(const Estimate& estimate);
/// "pass@4 0.95, pass^4 0.61"
std::string repeats_text(const RepeatEstimate& repeats);
/// "$1.24", "$0.00031"
std::string cost_text(double dollars);
/// A table, as table() of text_layout.h makes it, without the columns in which nothing is known:
/// every row but the first says "-" there.
std::string known_table(const std::vector<std::vector<std::string>>& rows,
                        const std::vector<std::size_t>& number_columns);
/// "0.012", "<0.001"
std::string p_text(const std::optional<double>& p_value);

}  // namespace filecall::client
