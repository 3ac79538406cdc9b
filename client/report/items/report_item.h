// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/eval/evaluation.h"
#include "client/eval/statistics/score_tally.h"
#include "client/service/conversation_look.h"
#include "client/service/ledger.h"
#include "ipc/json.h"
#include "ipc/token_prices.h"

namespace filecall::client {

/// The outcome of one request, as a report counts it. Only kGraded has a score.
enum class ItemOutcome : std::uint8_t {
  kPending,   ///< Not ended yet.
  kAnswered,  ///< A success that no evaluation has looked at.
  kGraded,    ///< From here on as in EvaluationOutcome.
  kUngraded,
  kError,    ///< Given up, evaluated or not.
  kRefusal,  ///< By the evaluation or, without one, by finish_reason; as the next.
  kTruncated,
  kSchemaInvalid,  ///< Given up, because no attempt's answer had the form that was asked for.
  kMissing,        ///< It ended, and its answer is not there any more, or no answer any more.
};
inline constexpr int kItemOutcomeCount = 9;
/// "pending", "answered", "graded", ...
std::string_view to_string(ItemOutcome outcome);
/// Of those that ended without a grade.
std::optional<NoGrade> no_grade_of(ItemOutcome outcome);
std::optional<ItemOutcome> parse_item_outcome(std::string_view name);

/// What the final attempt used, as far as the worker said it. Attempts before it are not in it: a
/// retry removes their answers.
struct ItemUsage {
  std::optional<std::int64_t> input_tokens;
  std::optional<std::int64_t> output_tokens;
  std::optional<std::int64_t> cached_input_tokens;
  std::optional<std::int64_t> reasoning_tokens;
  std::optional<double> cost;  ///< US$
  bool is_of_model = false;    ///< A model was called, whether or not it says what it used.
  /// A model was called, and nobody knows what that cost.
  bool is_unpriced() const { return (is_of_model || input_tokens || output_tokens) && !cost; }
};

/// One line of a report: a request with its answer and its grades.
struct ReportItem {
  std::string request_id;
  std::string command;
  std::string batch;
  RequestState state = RequestState::kNew;
  int attempts = 0;
  WallTime submitted_at{};
  WallTime finished_at{};       ///< Of final ones.
  std::int64_t latency_ms = 0;  ///< As RequestOutcome has it.
  std::int64_t queued_ms = 0;   ///< Of the last attempt, by the worker.
  std::int64_t run_ms = 0;
  bool is_cached = false;  ///< Nobody was asked: the response came from a cache.
  std::optional<std::int64_t> first_token_ms;

  std::string item;         ///< The question; else the id that the request has in each run.
  std::string prompt_name;  ///< Empty: none, as for the next two.
  std::string provider;
  std::string model;        ///< As asked for; when nothing was asked for, as answered.
  std::string answered_by;  ///< The model that the answer names; empty: none.
  std::int64_t repeat = 1;

  Json vars{};                       ///< The row that it was made from: an object, or null.
  std::vector<std::string> files{};  ///< Below the root: those that are there.

  /// Of a conversation, turn by turn, as transcript_of() gives it; null: it is one request.
  Json turns{};
  bool is_within = false;    ///< A later part of a conversation, which is an item of its own.
  bool sums_up_run = false;  ///< The result of an agent's run, whose requests are items as well.
  bool is_question = false;  ///< Asked by an evaluation itself, e.g. of a judge.
  std::string prompt;        ///< For people: messages as a text, or a command's params.
  std::string answer;        ///< The same: the model's text, else the data as JSON.
  std::string finish_reason;
  std::optional<ErrorCode> error_code;
  std::string error_class;  ///< error_details.class, else the code's name; empty: no error.
  std::string error_message;
  ItemUsage usage;

  ItemOutcome outcome = ItemOutcome::kPending;
  std::optional<Evaluation> evaluation;
  /// Why there is an evaluation that does not count: of an answer that was replaced since, or
  /// unreadable. Empty: there is none such.
  std::string evaluation_problem;
  /// It has a response, and no grade of the evaluation that is shown: that has not looked at it, or
  /// `evaluation_problem` says why it does not count.
  bool awaits_grade = false;

  /// Of the response's bytes; empty: nobody asked for it, or there is none.
  std::string response_digest;

  /// What the report's rows are about: the model or, of commands without one, the command.
  const std::string& subject() const { return model.empty() ? command : model; }
};

/// The texts of a request's files; absent ones are not there.
struct ItemFiles {
  std::optional<std::string> request;
  std::optional<std::string> response;  ///< Of a given-up request: its copy in failed/.
  std::optional<std::string> evaluations;
  std::string evaluation_problem{};  ///< Why `evaluations` could not be read.
  std::vector<std::string> names{};  ///< Of these files, below the root.
  /// Of a conversation: request and response are those of its last answer. Null: one request.
  std::shared_ptr<const ConversationLook> conversation{};
  Json metadata = nullptr;  ///< What the run says of the request; null: its file tells.
};

/// Pure. Damaged files leave their part of the item empty; nothing fails. A success whose answer is
/// not there, or is none, is kMissing, and `error_message` says why.
/// `evaluation`: the name of the evaluation to show; empty: none. `prices`: of answers that do not
/// say their cost; before them comes what the run reckoned that got the answer.
ReportItem make_report_item(const RequestEntry& entry, const ItemFiles& files,
                            std::string_view evaluation, const TokenPrices& prices = {});

}  // namespace filecall::client
