// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/eval/evaluation.h"
#include "ipc/json.h"
#include "ipc/request.h"
#include "ipc/response.h"

namespace filecall::client {

/// One call of a model (or of another command) that a response needed. What nobody knows is absent.
struct CallFigures {
  int turn = 1;                          ///< Of the conversation.
  std::optional<std::int64_t> run_ms{};  ///< In the worker, of the attempt that answered.
  std::optional<double> cost{};          ///< US$
  bool is_cached = false;                ///< Nobody was asked: the response came from a cache.
};

/// One answer and what it answers, as graders see them. All of it may be hostile: it is data.
struct Subject {
  Request request;
  Json data;  ///< The response's.
  /// Of a conversation, turn by turn: {turn, user, answer, tool_calls: [{name, arguments,
  /// result}]}. `request` and `data` are then those of the last answer. Null: it is one answer.
  Json turns{};
  std::vector<CallFigures> calls{};  ///< Empty: nothing is known of them.

  /// The row that the request was made from (metadata.vars); an empty object when there is none.
  const Json& vars() const;
};

/// Whether it is the result of an agent's run: an echo, which says what was called and how long it
/// took.
bool is_run_result(const Request& request);

/// The value at a JSON pointer (RFC 6901); nullptr: there is none, or it is no pointer.
const Json* find_at(const Json& root, std::string_view pointer);
bool is_json_pointer(std::string_view text);

/// What to look at in `data`: the value at `pointer`, or, when that is empty, what
/// people call the answer: `text` of a model, `stdout` of a program, the whole otherwise. nullptr:
/// it is not there. Lives as long as the subject.
const Json* answer_of(const Subject& subject, const std::string& pointer);
/// The same as text: a string as it is, anything else as JSON.
std::optional<std::string> answer_text(const Subject& subject, const std::string& pointer);
/// The same as JSON: a string is parsed, without the code fence that models like to put around it.
/// nullopt: not there, or not JSON.
std::optional<Json> answer_json(const Subject& subject, const std::string& pointer);

/// The choices of an answer that has several (llm.chat with n above 1), each as an answer of its
/// own. Empty: it has one, or a grader looks at a place that it names (`pointer`).
std::vector<Subject> choices_of(const Subject& subject, const std::string& pointer);
/// Why a choice is no whole answer; empty: it is one.
std::string incomplete_choice(const Subject& choice);

/// A string as it is, anything else as JSON in one line.
std::string plain_text(const Json& value);
/// What stands between the lines "```" (with or without a language) when the text is nothing else.
std::string_view without_fence(std::string_view text);

/// Whether and how the answer of a finished request can be graded, by its `finish_reason`:
/// kGraded means that it can. An error is kError, or kSchemaInvalid by its
/// class.
EvaluationOutcome outcome_of_response(const Response& response);

/// Which question in which variant it was, from the request's metadata; what does not stand there,
/// from the request and its answer, or the details of its failure. Fills item, prompt, provider,
/// model and repeat.
void describe_origin(const Request& request, const Json& data, Evaluation& evaluation);

/// What a model was asked, as text to read: the prompt, or the messages with their roles. Other
/// commands: their params.
std::string task_text(const Request& request);

}  // namespace filecall::client
