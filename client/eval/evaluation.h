// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/json.h"

namespace filecall::client {

/// What one grader says of one answer. A grade without a score is no zero: the grader could not
/// judge (a judge's verdict that cannot be read, no expected value), and `reason` says why.
struct Grade {
  std::string name;
  std::string kind;             ///< The grader's: "exact", "regex", "judge", ...
  std::optional<double> score;  ///< 0..1
  std::optional<bool> passed;   ///< Absent exactly when the score is.
  double weight = 1;            ///< > 0
  std::string reason;           ///< For people; may be empty.
  Json details{};               ///< An object, or null when there is none.
  /// Of what the grader is; empty: not noted. The same grader says the same of the same answer.
  std::string grader_digest{};
  std::string expected{};  ///< What it compared with, a line each; empty: nothing, or not noted.
  /// It has no score, and a request that it needed was given up when it was graded. Whether that is
  /// still so, the next evaluation finds out.
  bool lacks_reply = false;
};

/// The outcome of one answer in one evaluation. Only kGraded has a score; the specification says
/// whether another one counts as 0 or not at all.
enum class EvaluationOutcome : std::uint8_t {
  kGraded,
  kUngraded,       ///< The answer is there, but a grader could not judge it.
  kError,          ///< The request was given up.
  kRefusal,        ///< finish_reason is refusal or content_filter.
  kTruncated,      ///< finish_reason is length.
  kSchemaInvalid,  ///< Given up, because no attempt's answer had the form that was asked for.
};
inline constexpr int kEvaluationOutcomeCount = 6;
/// The name on disk, e.g. "graded". Lives as long as the process.
std::string_view to_string(EvaluationOutcome outcome);
std::optional<EvaluationOutcome> parse_evaluation_outcome(std::string_view name);

/// One evaluation of one answer: a member of `evaluations` in a line of `eval/grades.jsonl`. The
/// digests say which specification and which answer it speaks of, so that what changed is graded
/// again.
struct Evaluation {
  std::string spec_digest;      ///< "sha256:" and 64 hex digits.
  std::string response_digest;  ///< The same, of the response's (or failed copy's) bytes.
  /// The same, of the request's metadata: labels and what else stood beside the question. Empty:
  /// there was none, or it was not noted.
  std::string metadata_digest;
  WallTime evaluated_at{};
  std::string item;    ///< The question: equal in all models, prompts and repeats.
  std::string prompt;  ///< Empty: none, as for the next two.
  std::string provider;
  std::string model;
  std::int64_t repeat = 1;  ///< >= 1
  EvaluationOutcome outcome = EvaluationOutcome::kUngraded;
  std::optional<double> score;  ///< 0..1; present exactly when the outcome is kGraded.
  std::optional<bool> passed;   ///< The same.
  std::vector<Grade> grades;
  bool counts_as_zero = false;  ///< Without a grade, and as bad as a score of 0 all the same.
  std::string reason{};  ///< Why it is kUngraded, where no grade says so: no grader is for the row.

  /// Whether it is by these metadata. `own`: of the request's file, by which it was if it notes
  /// none.
  bool is_of_metadata(const Json& now, const Json& own) const;
};

/// What Evaluation::metadata_digest is of these metadata. Pure.
std::string metadata_digest_of(const Json& metadata);

/// One answer in evaluations that looked at it, by their names: a line of `eval/grades.jsonl`, or a
/// file `eval/{request_id}.json`.
struct EvaluationRecord {
  std::string request_id;
  std::map<std::string, Evaluation, std::less<>> evaluations;
};

/// Reads `eval/{stem}.json`, lenient on unknown members. Failure: invalid_argument (not JSON,
/// another request's, or a member that breaks the rules above; names it). Pure; any thread.
Result<EvaluationRecord> parse_evaluation_record(std::string_view bytes, std::string_view stem);
/// The same of a line that says itself which request it is about. Failure also: what it names
/// cannot be a request.
Result<EvaluationRecord> parse_evaluation_line(std::string_view bytes);

/// The record's text: one line and a newline.
std::string render_evaluation_record(const EvaluationRecord& record);

}  // namespace filecall::client
