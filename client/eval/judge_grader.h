// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/eval/grader.h"
#include "client/eval/judge_prompt.h"

namespace filecall::client {

/// One model that judges: a name and the params of llm.chat without messages. Two judges of equal
/// params and different names are asked one time each.
struct Judge {
  std::string name;
  Json params;
};

/// "judge": models judge by a criterion, each in an ordinary llm.chat request. The grade's details
/// hold the prompt's digest and what each judge said: {prompt_digest, judges: [{judge, model,
/// request_id, verdict, reason}]}.
struct JudgeRule {
  std::vector<Judge> judges{};  ///< Not empty.
  std::string criteria{};
  JudgeScale scale{};
  Expectation reference{};     ///< Shown to the judges when there is one.
  bool is_structured = false;  ///< Ask for the verdict by response_format.
};
/// The prompt that the rule leads to.
JudgePrompt prompt_of(const JudgeRule& rule);
std::unique_ptr<Grader> make_judge_grader(GraderSettings settings, JudgeRule rule);

}  // namespace filecall::client
