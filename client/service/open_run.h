// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/channel/request_channel.h"
#include "client/engine/driver.h"
#include "client/engine/intake.h"

namespace filecall::client {

/// Requests that are submitted one by one, whenever somebody has one, and their outcomes until
/// somebody takes them. A run over a driver; it is over when the awaited request is. One thread.
class OpenRun final : public Intake {
 public:
  /// Both must outlive it. `batch`: name that the rows carry; empty: none.
  OpenRun(Driver& driver, RequestChannel& channel, std::string batch);
  ~OpenRun() override { driver_.end_run(run_); }
  OpenRun(const OpenRun&) = delete;
  OpenRun& operator=(const OpenRun&) = delete;

  /// already_exists: another request has the id.
  Result<void> submit(Submission submission);
  /// What standing() is about: until `id` has ended, or the deadline is reached.
  /// not_found: it was not submitted here, or its outcome was taken.
  Result<void> await(std::string_view id, Deadline until);
  /// nullopt: it has not ended.
  std::optional<RequestOutcome> take_outcome(std::string_view id);
  bool is_idle() const { return driver_.counts(run_).in_flight == 0; }

  RunId run() const override { return run_; }
  Result<void> advance(MonotonicTime now) override;
  void take(const RequestOutcome& outcome) override;
  Standing standing() const override;
  Deadline next_wake() const override { return until_; }
  Spend spend() const override { return driver_.counts(run_).spend_now; }

 private:
  Driver& driver_;
  RequestChannel& channel_;
  RunId run_;
  std::map<std::string, RequestOutcome, std::less<>> outcomes_;
  std::string awaited_;
  Deadline until_ = Deadline::never();
  MonotonicTime now_{};
};

}  // namespace filecall::client
