// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "client/core/request_progress.h"
#include "client/core/request_state.h"
#include "client/core/spend.h"

namespace filecall::client {

/// One request in the state database: what the machine needs and what people ask for.
struct RequestRow {
  std::string request_id;
  std::string command;
  RequestProgress progress;
  std::string owner;         ///< Empty: nobody drives it.
  std::string batch;         ///< Empty: none.
  std::string content_hash;  ///< Hash128::hex() of the request's text; empty: unknown.
  std::int64_t queued_ms = 0;
  std::int64_t run_ms = 0;
  Spend spend;  ///< Of all attempts.
  WallTime submitted_at{};
  /// When the last run that had to begin it, or its next attempt, took it up; absent: the first.
  std::optional<WallTime> asked_at;
  std::optional<WallTime> finished_at;   ///< Set exactly in final states.
  std::optional<WallTime> collected_at;  ///< A tombstone: gc removed its files.
  bool is_control = false;               ///< The client's own cancel request.
};

/// What people see of it.
void describe(const RequestRow& row, RequestFacts& facts);

}  // namespace filecall::client
