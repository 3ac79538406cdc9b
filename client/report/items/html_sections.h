// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/report/items/report_tally.h"
#include "ipc/json.h"

namespace filecall::client {

/// A table: the first `words` columns are texts, the rest numbers; all are escaped here. A column
/// of numbers in which every row has "-" is left out.
std::string html_table(const std::vector<std::string>& heads, std::size_t words,
                       const std::vector<std::vector<std::string>>& rows);

/// The parts of the page that are plain HTML, and the data of its charts. Every text of a request
/// or an answer is escaped. Pure.
std::string tiles_html(const ReportTally& tally);
/// A section; empty when nothing was evaluated.
std::string scores_html(const ReportTally& tally);
std::string times_html(const ReportTally& tally);
std::string commands_html(const RunSummary& run);
std::string attempts_html(const RunSummary& run);
std::string errors_html(const GroupTally& all);
/// {latency, time_line, bucket_ms, scores}: see page.charts.js.
Json chart_data(const ReportTally& tally);

}  // namespace filecall::client
