// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/report/run_summary.h"

namespace filecall::client {

struct TextSummaryOptions {
  bool colour = false;
  std::size_t columns = 100;
  std::size_t gave_up_max = 5;  ///< Given-up requests named one by one.
};

/// The end of a run for a terminal: some lines, the last one ended. Pure.
std::string text_summary(const RunSummary& summary, const TextSummaryOptions& options);

}  // namespace filecall::client
