// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/engine/orchestrator.h"
#include "client/eval/runner/assessor.h"
#include "client/eval/runner/candidates.h"
#include "client/eval/runner/evaluation_run.h"

namespace filecall::client {

/// One pass over candidates. As a feed it yields the questions that must be asked, looking at one
/// candidate after the other as the engine has room; as an observer it hears what became of them
/// and finishes the candidates that waited. Equal questions of several candidates are asked once.
class Asking final : public SubmissionFeed, public RunObserver {
 public:
  /// All must outlive it.
  Asking(const Candidates& candidates, const spool::Root& root, Assessor& assessor,
         EvaluationObserver& observer, const std::atomic<bool>& interrupted);

  /// Failure: a file that can be neither read nor written; what is in flight is still finished.
  Result<Offer> next() override;
  void on_outcome(const RequestOutcome& outcome) override;
  void on_progress(const RunProgress& progress) override;
  void on_notice(const std::string& text) override { observer_.on_notice(text); }

  /// Candidates that turned out not to have ended.
  std::int64_t unfinished() const { return unfinished_; }
  /// The first failure of finishing a candidate.
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Waiter {
    std::string id;
    std::size_t left = 0;                         ///< Questions without an outcome.
    std::map<std::string, std::string> problems;  ///< Of questions that were given up.
    /// Of questions whose answer was read in this run.
    std::map<std::string, std::shared_ptr<const Response>> answers;
  };

  Result<void> look_at(std::string_view id, bool is_given_up);
  void wait_for(std::string_view id, std::vector<Question> questions);
  void finish(const Waiter& waiter);
  Reply reply_to(const Question& question, const Waiter& waiter) const;
  void report();

  const Candidates& candidates_;
  const spool::Root& root_;
  Assessor& assessor_;
  EvaluationObserver& observer_;
  const std::atomic<bool>& interrupted_;
  std::size_t next_ = 0;
  std::int64_t unfinished_ = 0;
  std::int64_t waiting_ = 0;
  std::string worker_;
  std::deque<Submission> submissions_;
  /// By the question's id.
  std::map<std::string, std::vector<std::shared_ptr<Waiter>>, std::less<>> waiters_;
  std::optional<Error> error_;
};

}  // namespace filecall::client
