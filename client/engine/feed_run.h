// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "client/core/call_budget.h"
#include "client/core/run_limits.h"
#include "client/engine/driver.h"
#include "client/engine/intake.h"
#include "client/engine/submission_feed.h"

namespace filecall::client {

struct FeedRunOptions {
  std::string batch;  ///< Name that the requests' rows carry; empty: none.
  int window = 256;   ///< Requests in flight.
  RunLimits limits;
  TokenPrices prices{};              ///< For what a call may cost, while there is a limit.
  std::optional<RunTotals> earlier;  ///< What earlier runs used, all of it; else the rows tell.
};

/// A feed brought to its end through a driver, within its window and limits. Several may share a
/// driver. One thread.
class FeedRun final : public Intake {
 public:
  /// `driver` and `feed` must outlive it.
  FeedRun(Driver& driver, SubmissionFeed& feed, FeedRunOptions options);
  ~FeedRun() override { driver_.end_run(run_); }
  FeedRun(const FeedRun&) = delete;
  FeedRun& operator=(const FeedRun&) = delete;

  RunId run() const override { return run_; }
  Result<void> advance(MonotonicTime now) override;
  void take(const RequestOutcome& outcome) override;
  void set_paused(bool is_paused) override;
  Standing standing() const override;
  Deadline next_wake() const override;

  /// Why the feed ended early; what was read before it is brought to its end all the same.
  const std::optional<Error>& error() const { return error_; }
  /// Which limit ended the run, and what is left; empty: none.
  std::string limit_reason() const;
  /// Of the whole batch, as far as it is known.
  bool is_withdrawn() const override { return true; }
  Spend spend() const override { return totals().spend; }

 private:
  /// All that the limits go by. (A call that is counted changes `calls`.)
  struct Usage {
    std::int64_t in_flight = 0;
    std::int64_t waiting = 0;
    std::int64_t calls = 0;
    std::int64_t unpriced = 0;
    double cost = 0;
    std::int64_t taken = 0;
    bool operator==(const Usage&) const = default;
  };

  bool is_stopping() const { return !stop_reason_.empty(); }
  /// Nothing may begin; what ended in earlier runs is counted all the same.
  bool only_looks() const { return is_stopping() || is_paused_; }
  /// What was looked up during a pause, and had not ended, fills the memory that it may have.
  bool is_full() const;
  /// The feed has nothing, and nothing has happened since that could change it.
  bool is_feed_waiting() const { return is_early_ && taken_ == taken_when_asked_; }
  bool has_room() const;
  RunTotals totals() const;
  Usage usage() const;
  void heed_limits();
  void stop(std::string reason);
  /// Submits what fits.
  void take_from_feed();
  void take_unended();
  /// The next submission; false: there is none now.
  bool fetch();
  /// Whether it may begin, as far as the budget goes.
  bool is_admitted();

  Driver& driver_;
  SubmissionFeed& feed_;
  FeedRunOptions options_;
  RunId run_;
  bool is_exhausted_ = false;
  bool is_early_ = false;  ///< The feed had nothing yet when it was asked.
  MonotonicTime asked_{};
  std::int64_t taken_when_asked_ = 0;  ///< Outcomes; more than these may have led to submissions.
  Usage heeded_;                       ///< When advance() looked at the limits.
  std::int64_t taken_ = 0;             ///< Outcomes.
  std::int64_t errors_ = 0;            ///< Given up, also in earlier runs.
  CallBudget budget_;
  std::optional<Submission> next_;  ///< Fetched and not begun.
  CallEstimate next_call_;          ///< Its; only while there is a limit.
  std::deque<Submission> unended_;  ///< Looked up during a pause; to begin after it.
  std::size_t unended_bytes_ = 0;
  bool is_paused_ = false;  ///< By people.
  bool is_held_ = false;    ///< The budget has no room for it now.
  std::string stop_reason_;
  std::optional<Error> error_;
};

}  // namespace filecall::client
