// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/report/run_summary.h"

namespace filecall::client {

/// One self-contained HTML page: tables as plain HTML, charts by the embedded Chart.js, no network
/// (its own Content-Security-Policy forbids any). Every text of a request or a response is escaped.
/// `root_link`: the root as seen from the page's folder, for links to files; a relative path where
/// possible. Pure.
std::string html_page(const RunSummary& summary, const std::string& root_link);

}  // namespace filecall::client
