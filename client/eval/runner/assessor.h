// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/core/price_table.h"
#include "client/eval/grader.h"
#include "client/eval/grader_choice.h"
#include "client/eval/spec.h"
#include "client/grades/grade_log.h"
#include "client/grades/grade_writer.h"
#include "client/runs/run_metadata.h"
#include "client/service/ledger.h"
#include "client/service/run_scope.h"
#include "spool/root.h"

namespace filecall::client {

/// What became of looking at one request.
struct Assessment {
  enum class Kind : std::uint8_t {
    kNotSelected,  ///< By its content.
    kUnfinished,   ///< It has no answer, and may get one.
    kMissing,    ///< It ended, and its request or its answer is not there, or no answer, any more.
    kAsks,       ///< Questions must be answered first.
    kEvaluated,  ///< And stands in eval/.
  };
  Kind kind = Kind::kNotSelected;
  std::vector<Question> questions{};  ///< kAsks
  Evaluation evaluation{};            ///< kEvaluated
  bool is_reused = false;             ///< It stood there before.
};

/// Evaluates one request at a time: reads its files, grades, writes to eval/. Everything is
/// read again each time, so that nothing is kept for requests that wait for judges. One thread.
class Assessor {
 public:
  /// What became of a question that was asked.
  using Replies = std::function<Reply(const Question&)>;

  /// Which of a grader's questions are answered: questions(), or questions_again() as well.
  enum class Round : std::uint8_t { kFirst, kSecond };

  /// All must outlive it. `writer` null: nothing is written. `prices`: of judges
  /// and of what is graded.
  Assessor(const spool::Root& root, Ledger& ledger, const EvalSpec& spec, const GradeLog& log,
           GradeWriter* writer, const TokenPrices& prices);

  /// What runs say of requests, from now on; must outlive the next calls.
  void use_metadata(const RunMetadata& metadata) { metadata_ = &metadata; }

  /// Whether the specification selects a request by its content; one that is not there yet (or not
  /// yet readable) may be selected.
  bool may_select(std::string_view id) const;

  /// Before anything is asked: a column that the specification names and that none of these
  /// requests has is misspelt. invalid_argument: names it, and those that there are.
  Result<void> check_columns(const RunScope& scope) const;

  /// `replies` null: questions are returned, not graded without. An evaluation of the same
  /// specification, answer and metadata is taken as it is, unless it is ungraded: then what could
  /// not be judged is looked at again, since a judge's answer may be there now. So is a grade that
  /// another specification has from the same grader. What depends on prices is graded again each
  /// time, unless nobody knows them now. After the first round, questions are returned
  /// where graders ask once more.
  Result<Assessment> assess(std::string_view id, bool is_given_up, const Replies* replies,
                            Round round = Round::kFirst);

  /// All that grading the answer of a success may ask, or has asked, in both rounds, whether or not
  /// its grades are there. Empty: its graders look at nothing of it.
  Result<std::vector<Question>> all_questions(std::string_view id) const;

 private:
  struct Answered;
  Result<std::optional<Answered>> load(std::string_view id, bool is_given_up) const;
  Result<std::optional<Answered>> load_conversation(std::string_view id, bool is_given_up,
                                                    Answered answered) const;
  /// What the request of a call has used; nothing where no grader looks at costs.
  Result<Spend> spend_of_call(const std::string& id) const;
  /// Of one that had ended and cannot be loaded: kMissing, kUnfinished or kNotSelected.
  Result<Assessment::Kind> why_not_loaded(std::string_view id) const;
  /// Of a request that is there and selected.
  std::optional<Json> metadata_of(std::string_view id) const;
  /// False: it stood there already.
  Result<bool> keep(std::string_view id, const std::optional<Evaluation>& before,
                    Evaluation& evaluation);
  EvaluationOutcome outcome_of(const Answered& answered, bool is_given_up) const;
  /// Grades that are there of this answer, by the digests of their graders, in any evaluation.
  using Earlier = std::map<std::string, Grade, std::less<>>;
  Result<Earlier> earlier_grades(std::string_view id, const Answered& answered) const;
  std::vector<Question> ask_all(const Subject& subject, const GraderChoice& choice,
                                const Earlier& earlier) const;
  std::vector<Question> ask_all_again(const Subject& subject, const GraderChoice& choice,
                                      const Earlier& earlier, const Replies& replies) const;
  void grade(const Subject& subject, const GraderChoice& choice, const Earlier& earlier,
             const Replies* replies, Evaluation& evaluation) const;

  const spool::Root& root_;
  Ledger& ledger_;
  const EvalSpec& spec_;
  const GradeLog& log_;
  GradeWriter* const writer_;
  const TokenPrices& prices_;
  const bool looks_at_prices_;
  const RunMetadata* metadata_ = nullptr;
};

}  // namespace filecall::client
