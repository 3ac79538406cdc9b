// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/random.h"
#include "base/time.h"
#include "client/core/request_progress.h"
#include "ipc/effects.h"
#include "ipc/response.h"

namespace filecall::simulation {

using Id = int;

/// A response file, as far as the two programs look at it.
struct ResponseFile {
  client::AnswerVersion version;
  bool is_success = false;
  ErrorCode code = ErrorCode::kUnknown;
  bool retryable = true;
  std::optional<Duration> retry_after{};
};

struct StartRecord {
  int starts = 1;
  Effects effects = Effects::kNone;
};

/// One root directory as values: every member is what survives both programs' death. Each of its
/// methods is one atomic step of a real file system, so a crash can come between any two of them.
struct World {
  explicit World(std::uint64_t seed) : random(seed) {}

  std::set<Id> requests;
  std::map<Id, ResponseFile> responses;
  std::map<Id, StartRecord> started;
  std::map<Id, ResponseFile> failed;
  std::set<Id> cancels;  ///< system.cancel requests not yet read.

  Random random;
  std::int64_t now_ms = 1'000'000;
  std::uint64_t next_version = 1;

  // What really happened, for the oracle; no program sees it.
  std::map<Id, int> executions;
  std::map<Id, int> error_answers;
  int late_answers = 0;
  int lost_successes = 0;  ///< Deleted by a client.

  bool chance(std::uint64_t one_in) { return random.below(one_in) == 0; }
  MonotonicTime monotonic() const { return MonotonicTime(milliseconds(now_ms)); }
  WallTime wall() const { return WallTime(milliseconds(now_ms)); }
  bool is_pending(Id id) const { return requests.contains(id) && !responses.contains(id); }

  /// RENAME_NOREPLACE out of started/ into responses/: both names change in one step.
  void publish(Id id, ResponseFile response) {
    if (responses.contains(id)) {
      ++late_answers;
      started.erase(id);
      return;
    }
    response.version = {next_version++, now_ms, 1};
    if (!response.is_success) ++error_answers[id];
    started.erase(id);
    responses.emplace(id, response);
  }
};

}  // namespace filecall::simulation
