// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "client/eval/grader.h"

namespace filecall::client {

/// An answer of a model to "What is it?", made from a row.
inline Subject subject_saying(const std::string& text, Json vars = Json::object()) {
  Subject subject;
  subject.request.request_id = "r1";
  subject.request.command = "llm.chat";
  subject.request.params = {{"prompt", "What is it?"}, {"model", "m1"}};
  subject.request.metadata = {{"item", "row-7"}, {"vars", std::move(vars)}};
  subject.data = {{"text", text}, {"finish_reason", "stop"}, {"model", "m1-2026"}};
  return subject;
}

inline Expectation literal(Json value) {
  return {.source = Expectation::Source::kLiteral, .literal = std::move(value)};
}
inline Expectation variable(std::string name) {
  return {.source = Expectation::Source::kVariable, .where = std::move(name)};
}

inline Reply reply_of(Json data) {
  Response response;
  response.data = std::move(data);
  return {.response = std::move(response)};
}

/// A judge that says `text`.
inline Reply judge_saying(const std::string& text, const std::string& finish_reason = "stop") {
  return reply_of({{"text", text}, {"finish_reason", finish_reason}, {"model", "j-1"}});
}

}  // namespace filecall::client
