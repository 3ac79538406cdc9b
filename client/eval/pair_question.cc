// SPDX-License-Identifier: MIT
#include "client/eval/pair_question.h"

#include <utility>

#include "base/hash.h"
#include "client/eval/judge_record.h"

namespace filecall::client {
namespace {

std::string word_in(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::vector<PairQuestion> pair_questions(const Json& judges, const TokenPrices& prices) {
  std::vector<PairQuestion> questions;
  if (!judges.is_array()) return questions;
  for (const Json& record : judges) {
    if (!record.is_object()) continue;
    questions.push_back({.judge = word_in(record, "judge"),
                         .id_hash = hash64(word_in(record, "request_id")),
                         .was_asked_again = record.contains("second_request_id"),
                         .has_verdict = !word_in(record, "verdict").empty(),
                         .cost = cost_of_record(record, prices)});
  }
  return questions;
}

void PairJudging::add(std::span<const PairQuestion> questions) {
  for (const PairQuestion& question : questions) {
    if (!seen_.insert(question.id_hash).second) continue;
    judges_[question.judge].add(question.was_asked_again, question.has_verdict, question.cost);
  }
}

}  // namespace filecall::client
