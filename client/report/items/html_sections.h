// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/report/items/report_tally.h"
#include "ipc/json.h"

namespace filecall::client {

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
