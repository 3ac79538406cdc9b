// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "client/core/retry_policy.h"

namespace filecall::client {

/// Which of several runs in one process a submission belongs to.
using RunId = int;

/// One request to be brought to its end.
struct Submission {
  std::string request_id{};
  std::string command{};
  std::string bytes{};  ///< The request's text; empty: its file is there and is somebody else's.
  RunId run = 0;        ///< Comes back with the outcome.
  /// Only looked up: reported if it ended earlier. Otherwise counted as left if the run is
  /// stopping, and handed back if it is not (see Driver::take_unended).
  bool only_looks = false;
  /// Why it is not to be asked; empty: it is to be. It is given up with that, failed_precondition,
  /// unless it was dropped before.
  std::string refusal{};
  std::optional<RetryPolicy> retry{};         ///< Absent: the driver's.
  std::optional<Duration> attempt_timeout{};  ///< Absent: the driver's.
};

/// What a feed has to give when it is asked.
struct Offer {
  enum class Kind : std::uint8_t {
    kSubmission,
    kNotYet,    ///< Ask again later: when something ended, or some time has passed.
    kNextTurn,  ///< Ask again in the next turn: this one has taken enough.
    kEnd,       ///< Nothing more will come.
  };
  Kind kind = Kind::kEnd;
  Submission submission{};

  static Offer of(Submission submission) { return {Kind::kSubmission, std::move(submission)}; }
  static Offer not_yet() { return {.kind = Kind::kNotYet}; }
  static Offer next_turn() { return {.kind = Kind::kNextTurn}; }
  static Offer end() { return {}; }
};

}  // namespace filecall::client
