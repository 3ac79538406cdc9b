// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/eval/grader.h"
#include "client/eval/judge_scale.h"

namespace filecall::client {

/// What one judge said.
struct JudgeVerdict {
  std::optional<double> score{};  ///< 0..1; absent: no verdict could be read.
  std::string said{};             ///< The label or the number; empty without a score.
  std::string reason{};           ///< The judge's, or why there is no verdict.
  std::string model{};            ///< That answered.
  /// The judge answered, and what it wrote holds no verdict: it may be asked once more. Not so for
  /// a refusal, or where there is no answer.
  bool is_unreadable = false;
  std::string judge{};  ///< Its name; empty: nobody asked for it.
};

/// Reads a judge's answer. Only the JSON object that ends the text counts (a code fence around it
/// is allowed): what a judge quotes before it decides nothing. Nor does an object that stands word
/// for word in one of `judged`, the texts that the judge was shown: it may be
/// nobody's verdict. Refusals, cut answers and values beside the scale are no verdicts.
JudgeVerdict read_verdict(const Reply& reply, const JudgeScale& scale,
                          std::span<const std::string> judged = {});
/// The same of the text alone.
JudgeVerdict read_verdict_text(std::string_view text, const JudgeScale& scale,
                               std::span<const std::string> judged = {});

/// A reply without a verdict, after which a judge is asked once more: tells what may have been
/// asked where the reply itself is not at hand.
Reply unreadable_reply();

/// How several verdicts become one.
enum class Combine : std::uint8_t { kMajority, kMean, kMedian };

/// What several judges say together. kMajority: what more than half of all judges said, those
/// without a verdict included in "all"; no majority is no finding. kMean and kMedian of scores,
/// when more than half of all judges gave a verdict. Where there is no finding, the reason names
/// each judge without a verdict, and why. The details have the member `verdict`, what was said: a
/// label, or the nearest number of the scale.
Judgement vote(std::span<const JudgeVerdict> verdicts, const JudgeScale& scale, Combine combine);

}  // namespace filecall::client
