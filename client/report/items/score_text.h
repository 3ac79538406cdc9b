// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/statistics/estimate.h"
#include "client/eval/statistics/repeats.h"
#include "client/eval/statistics/score_tally.h"
#include "client/report/items/report_tally.h"

namespace filecall::client {

/// How estimates are written for people; "-" where nothing is known. Pure.

/// What a score is, in reports and in comparisons.
inline constexpr std::string_view kScoreDefinition =
    "Scores are means over items; an item's answers are averaged first.";

/// "0.873 ±0.021": the value and its standard error.
std::string score_text(const Estimate& estimate);
/// "0.832 to 0.914"
std::string interval_text(const Estimate& estimate);
/// "87.3 %"
std::string percent_text(const std::optional<double>& share);
std::string percent_interval_text(const Estimate& estimate);
/// "pass@4 0.95, pass^4 0.61"
std::string repeats_text(const RepeatEstimate& repeats);
/// "3", or "3 as 0" of those that count as a score of 0; "-" for none.
std::string no_grade_text(OutcomeCounts counts, NoGrade why);
/// As human_cost() writes it: "-" when nothing was used, "unknown" when no cost is known, and with
/// "+ unknown" when some are not.
std::string cost_text(const UsageSums& usage);
/// A table, as table() of text_layout.h makes it, without the columns in which nothing is known:
/// every row but the first says "-" there.
std::string known_table(const std::vector<std::vector<std::string>>& rows,
                        const std::vector<std::size_t>& number_columns);
/// Why a threshold is missed where requests have not ended: how many, and what to do.
std::string pending_sentence(std::int64_t pending, std::int64_t total);
/// The same where responses have no grade.
std::string ungraded_sentence(std::int64_t never_graded, std::int64_t total);
/// Why requests that were given up make an exit code of 1, and what to do: `how` says how they are
/// asked again. `other_form`: of these, responses of another form than was asked for, which no
/// error rate counts.
std::string given_up_sentence(std::int64_t given_up, std::int64_t other_form, std::string_view how);
/// What to say of responses that ended and are not there any more.
std::string missing_sentence(std::int64_t missing);
/// What to do where responses are ungraded, or pairs have no verdict, because a judge was given up.
std::string lacking_replies_sentence(std::int64_t responses);
std::string lacking_verdicts_sentence(std::int64_t pairs);
/// What to say where the grades are by several versions of a specification; empty: they are not.
std::string versions_sentence(const ReportTally& tally);
/// How many evaluations do not count, and why; without a full stop.
std::string problems_sentence(const ReportTally& tally);
/// The requests whose evaluations do not count: "a, b, ...".
std::string problem_names(const ReportTally& tally);
/// "0.012", "<0.001"
std::string p_text(const std::optional<double>& p_value);

}  // namespace filecall::client
