// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "base/time.h"
#include "client/core/request_progress.h"
#include "ipc/response.h"

namespace filecall::simulation {

using Id = int;
/// Requests are named by their numbers.
inline std::string name_of(Id id) { return std::to_string(id); }
inline Id id_of(std::string_view name) { return std::stoi(std::string(name)); }

/// A response file, as far as the two programs look at it.
struct ResponseFile {
  client::AnswerVersion version;
  bool is_success = false;
  ErrorCode code = ErrorCode::kUnknown;
  bool retryable = true;
  std::optional<Duration> retry_after{};
  bool is_given_back = false;
  std::int64_t tokens = 0;  ///< What a call of a model used, at a US$ each; 0: it was none.
};

/// What client and worker see of each other, as values that survive both programs' death.
struct World {
  explicit World(std::uint64_t seed) : random(seed) {}

  std::map<Id, std::string> requests;  ///< Their texts.
  std::map<Id, ResponseFile> responses;
  std::map<Id, ResponseFile> failed;
  std::set<Id> cancels;  ///< system.cancel requests not yet read.

  Random random;
  std::int64_t now_ms = 1'000'000;
  std::uint64_t next_version = 1;

  // What really happened, for the oracle; no program sees it.
  std::map<Id, int> executions;
  int lost_successes = 0;      ///< Deleted by a client.
  int uncounted_discards = 0;  ///< Errors that it deleted before its row said so.

  bool chance(std::uint64_t one_in) { return random.below(one_in) == 0; }
  MonotonicTime monotonic() const { return MonotonicTime(milliseconds(now_ms)); }
  WallTime wall() const { return WallTime(milliseconds(now_ms)); }
  bool is_pending(Id id) const { return requests.contains(id) && !responses.contains(id); }

  /// Write-once: a response that is there stays.
  void publish(Id id, ResponseFile response) {
    response.version = {next_version++, now_ms, 1};
    responses.emplace(id, std::move(response));
  }
};

}  // namespace filecall::simulation
