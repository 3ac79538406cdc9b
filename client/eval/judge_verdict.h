// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/eval/grader.h"
#include "client/eval/judge_prompt.h"

namespace filecall::client {

/// What one judge said.
struct JudgeVerdict {
  std::optional<double> score{};  ///< 0..1; absent: no verdict could be read.
  std::string said{};             ///< "pass", "fail" or the number; empty without a score.
  std::string reason{};           ///< The judge's, or why there is no verdict.
  std::string model{};            ///< That answered.
};

/// Reads a judge's answer. Only the JSON object that ends the text counts (a code fence around it
/// is allowed): what a judge quotes before it decides nothing. Refusals, cut answers and values
/// beside the scale are no verdicts.
JudgeVerdict read_verdict(const Reply& reply, const JudgeScale& scale);
/// The same of the text alone.
JudgeVerdict read_verdict_text(std::string_view text, const JudgeScale& scale);

/// What several judges say together. Pass or fail: what more than half of all judges said, those
/// without a verdict included in "all"; no majority is no finding. On a scale: the median, when
/// more than half of all judges gave a verdict.
Judgement vote(std::span<const JudgeVerdict> verdicts, const JudgeScale& scale);

}  // namespace filecall::client
