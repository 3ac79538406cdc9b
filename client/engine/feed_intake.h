// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "client/engine/session.h"

namespace filecall::client {

/// A batch: submissions from a feed, until it is exhausted.
class FeedIntake final : public Intake {
 public:
  explicit FeedIntake(SubmissionFeed& feed) : feed_(feed) {}

  Result<void> take(Session& session, MonotonicTime now) override;
  bool is_exhausted() const override { return is_exhausted_; }
  Deadline next_wake() const override { return Deadline::never(); }
  /// Why the feed ended early; what was read before it is brought to its end all the same.
  const std::optional<Error>& error() const { return error_; }

 private:
  SubmissionFeed& feed_;
  bool is_exhausted_ = false;
  std::optional<Error> error_;
};

}  // namespace filecall::client
