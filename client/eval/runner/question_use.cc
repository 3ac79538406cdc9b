// SPDX-License-Identifier: MIT
#include "client/eval/runner/question_use.h"

#include "client/service/earlier_use.h"

namespace filecall::client {

Result<void> QuestionUse::add(std::span<const Question> questions) {
  for (const Question& question : questions) {
    if (!counted_.insert(question.request_id)) continue;
    TRY(add_earlier_use(ledger_, layout_, prices_, question.request_id, totals_));
  }
  return {};
}

}  // namespace filecall::client
