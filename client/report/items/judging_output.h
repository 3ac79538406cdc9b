// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "client/eval/judging.h"
#include "ipc/json.h"

namespace filecall::client {

/// What judges did, and how far judges, people and grades agree. Pure. The texts are empty where
/// there are no judges and no people's labels.

/// What one judge was asked, and what that cost: {judge, asked, asked_again, unreadable, cost,
/// without_cost}; the heads and the cells of a table.
Json judge_json(const std::string& judge, const JudgeCounts& counts);
std::vector<std::string> judge_heads();
std::vector<std::string> judge_cells(const std::string& judge, const JudgeCounts& counts);

/// A list with an object for each grader.
Json judging_json(const JudgingTally& tally);
/// Tables for a terminal; begins with an empty line.
std::string judging_text(const JudgingTally& tally);
/// Headings and tables; every name is escaped.
std::string judging_html(const JudgingTally& tally);

}  // namespace filecall::client
