// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/engine/interruption.h"
#include "client/engine/orchestrator.h"
#include "client/eval/runner/assessor.h"
#include "client/eval/runner/candidates.h"
#include "client/eval/runner/evaluation_run.h"
#include "client/eval/runner/open_questions.h"

namespace filecall::client {

/// One pass over candidates. Yields the questions that must be asked, looking at one candidate
/// after the other as the engine has room; hears what became of them and finishes the candidates
/// that waited. Equal questions of several candidates are asked once.
class Asking {
 public:
  /// All must outlive it.
  Asking(const Candidates& candidates, const spool::Root& root, Assessor& assessor,
         EvaluationObserver& observer, const Interruption& interruption);

  /// Failure: a file that can be neither read nor written; what is in flight is still finished.
  Result<Offer> next();
  void on_outcome(const RequestOutcome& outcome);
  /// `worker`: as RunProgress says; empty while nothing is asked.
  void report(const std::string& worker);

  /// Candidates whose questions have no outcome yet.
  std::int64_t waiting() const { return waiting_; }
  /// Those, and candidates that were not looked at.
  std::int64_t not_finished() const {
    const auto looked_at = static_cast<std::int64_t>(next_);
    return candidates_.total() - candidates_.unfinished - looked_at + waiting_;
  }
  /// Candidates that turned out not to have ended.
  std::int64_t unfinished() const { return unfinished_; }
  /// Candidates that turned out to have lost their request or their answer.
  std::int64_t missing() const { return missing_; }
  /// Candidates that turned out not to be selected.
  std::int64_t not_selected() const { return not_selected_; }
  /// The first failure of finishing a candidate.
  const std::optional<Error>& error() const { return error_; }

 private:
  Result<void> look_at(std::size_t at);
  /// The id of a candidate, by its place: those that succeeded first.
  std::string id_of(std::size_t at) const;
  void finish(const OpenQuestions::WaiterPtr& waiter);
  void report();

  const Candidates& candidates_;
  Assessor& assessor_;
  EvaluationObserver& observer_;
  const Interruption& interruption_;
  std::size_t next_ = 0;
  std::int64_t unfinished_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t not_selected_ = 0;
  std::int64_t waiting_ = 0;
  std::string worker_;
  OpenQuestions questions_;
  std::optional<Error> error_;
};

}  // namespace filecall::client
