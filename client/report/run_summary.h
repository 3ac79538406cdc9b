// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "client/core/request_state.h"
#include "client/report/latency_histogram.h"
#include "client/report/time_line.h"

namespace filecall::client {

/// Everything a report says about one run, gathered outcome by outcome in bounded memory. Pure; not
/// thread-safe.
class RunSummary {
 public:
  static constexpr std::size_t kSlowestMax = 20;
  static constexpr std::size_t kGaveUpMax = 200;   ///< Listed; all are counted.
  static constexpr std::size_t kCommandsMax = 64;  ///< Named; the rest counts as "(others)".
  static constexpr int kAttemptsMax = 20;          ///< The last row means "or more".
  static constexpr std::size_t kMessageBytesMax = 500;

  struct CommandRow {
    std::int64_t success = 0;
    std::int64_t gave_up = 0;
  };

  /// Of a run that holds conversations.
  struct Conversations {
    std::int64_t total = 0;  ///< 0: it has none.
    std::int64_t ended = 0;  ///< To their last turn.
    std::int64_t gave_up = 0;
    std::int64_t turns = 0;        ///< Answered, of those that are over.
    std::int64_t tool_calls = 0;   ///< The same.
    std::int64_t tool_errors = 0;  ///< Of these: answered with an error.
  };

  explicit RunSummary(WallTime started_at) : started_at_(started_at) {}

  void add(const RequestOutcome& outcome);
  /// A request of a conversation. `is_tolerated`: its failure went to the model as a result.
  void add_step(const RequestOutcome& outcome, bool is_tolerated);
  /// A conversation was given up: it stands in the list, once.
  void add_given_up_conversation(RequestOutcome shown);
  /// Retries so far, counted by the engine; the increase is put on the time line.
  void set_retries(std::int64_t retries, WallTime now);
  /// The same when it is not known when they were: the time line leaves them out.
  void count_retries(std::int64_t retries) { retries_ = retries; }
  void finish(WallTime now, bool was_interrupted);

  std::string name;         ///< Of the batch; for people.
  std::string run_id;       ///< Empty: no run's record speaks of it.
  std::string root;         ///< Where the files lie.
  std::int64_t total = -1;  ///< Requests of the batch; -1: unknown.
  Spend spend;              ///< Of all of it, as far as it is known.
  Conversations conversations;
  /// Of those in gave_up_list(): their rows say otherwise by now.
  std::int64_t retried_meanwhile = 0;
  /// Successes of before whose responses are not there any more: gc removed them, or somebody.
  std::int64_t responses_missing = 0;
  std::string stopped_by;  ///< The limit that ended the run, in words; empty: none.

  /// "3", or "at least 3" when more was given up than gave_up_list() has.
  std::string retried_text() const;

  std::int64_t success() const { return success_; }
  std::int64_t gave_up() const { return gave_up_; }
  /// Failures of tools that went to the model as results: neither a success nor given up.
  std::int64_t tolerated() const { return tolerated_; }
  std::int64_t ended() const { return success_ + gave_up_ + tolerated_; }
  /// Whether anything was given up, a conversation as a whole too.
  bool has_failures() const { return gave_up_ > 0 || conversations.gave_up > 0; }
  /// Of those, ended in an earlier run.
  std::int64_t from_earlier_runs() const { return earlier_; }
  /// Of those, asked by another filecall while this one waited for it.
  std::int64_t followed() const { return followed_; }
  /// Of those, neither: this run asked them, or took them from a cache.
  std::int64_t asked() const { return ended() - earlier_ - followed_; }
  /// Of those, answered from a cache.
  std::int64_t cached() const { return cached_; }
  std::int64_t retries() const { return retries_; }
  bool was_interrupted() const { return was_interrupted_; }
  WallTime started_at() const { return started_at_; }
  Duration elapsed() const { return finished_at_ - started_at_; }
  /// Requests ended in this run, per second.
  double rate() const;

  const LatencyHistogram& latency_ms() const { return latency_ms_; }
  const LatencyHistogram& queued_ms() const { return queued_ms_; }
  const LatencyHistogram& run_ms() const { return run_ms_; }
  const TimeLine& time_line() const { return time_line_; }
  /// Requests by the number of attempts they took: index 0 is one attempt.
  const std::array<std::int64_t, kAttemptsMax>& by_attempts() const { return by_attempts_; }
  /// Given-up requests by their last error.
  const std::array<std::int64_t, kErrorCodeCount>& by_error() const { return by_error_; }
  const std::map<std::string, CommandRow>& by_command() const { return by_command_; }
  /// Slowest first.
  const std::vector<RequestOutcome>& slowest() const { return slowest_; }
  /// The first ones, in order of their ends.
  const std::vector<RequestOutcome>& gave_up_list() const { return gave_up_list_; }

 private:
  enum class Part : std::uint8_t { kRequest, kStep, kToleratedStep };
  void add_part(const RequestOutcome& outcome, Part part);
  void keep_slow(const RequestOutcome& outcome);

  WallTime started_at_;
  WallTime finished_at_{};
  bool was_interrupted_ = false;
  std::int64_t success_ = 0;
  std::int64_t gave_up_ = 0;
  std::int64_t tolerated_ = 0;
  std::int64_t earlier_ = 0;
  std::int64_t followed_ = 0;
  std::int64_t cached_ = 0;
  std::int64_t retries_ = 0;
  LatencyHistogram latency_ms_;
  LatencyHistogram queued_ms_;
  LatencyHistogram run_ms_;
  TimeLine time_line_;
  std::array<std::int64_t, kAttemptsMax> by_attempts_{};
  std::array<std::int64_t, kErrorCodeCount> by_error_{};
  std::map<std::string, CommandRow> by_command_;
  std::vector<RequestOutcome> slowest_;
  std::vector<RequestOutcome> gave_up_list_;
};

}  // namespace filecall::client
