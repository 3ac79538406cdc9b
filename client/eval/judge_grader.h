// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/eval/grader.h"
#include "client/eval/judge_prompt.h"
#include "client/eval/judge_record.h"
#include "client/eval/judge_verdict.h"

namespace filecall::client {

/// "judge": models judge by a criterion, each in an ordinary llm.chat request. A verdict that
/// cannot be read is asked for once more, in other words. The grade's details hold the prompt's
/// digest, the scale, what was said together and what each judge said: {prompt_digest, scale,
/// verdict, judges: [{judge, asked_model, provider, model, request_id, second_request_id, verdict,
/// score, reason, usage, cost}]}.
struct JudgeRule {
  std::vector<Judge> judges{};  ///< Not empty.
  JudgeText text{};
  std::set<std::string, std::less<>> columns{};  ///< That the template names.
  JudgeScale scale{};
  Combine combine = Combine::kMajority;
  Expectation reference{};     ///< Shown to the judges when there is one.
  bool is_structured = false;  ///< Ask for the verdict by response_format.
};
/// The prompt that the rule leads to.
JudgePrompt prompt_of(const JudgeRule& rule);
std::unique_ptr<Grader> make_judge_grader(GraderSettings settings, JudgeRule rule);

}  // namespace filecall::client
