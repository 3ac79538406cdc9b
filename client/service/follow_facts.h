// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/engine/worker_process.h"
#include "client/service/ledger.h"
#include "client/service/pause_list.h"

namespace filecall::client {

/// What a look at one request and its root shows to who follows it.
struct FollowFacts {
  std::optional<RequestEntry> entry;  ///< Absent: neither a row nor a request file.
  bool has_request = false;           ///< requests/{id}.json is there.
  bool has_response = false;
  bool is_started = false;  ///< It has a start record: it executes, or a worker died with it.
  bool has_events = false;
  std::vector<Pause> pauses;  ///< Of the root; this request's, or another's.
  WorkerPresence worker = WorkerPresence::kNotRunning;
};

enum class FollowStep : std::uint8_t {
  kWait,
  kUnknown,    ///< There is no such request, or not yet.
  kEnded,      ///< Its response is final, or nobody lives who would ask again.
  kCollected,  ///< gc removed its files.
  kWithdrawn,  ///< It was deleted before it began.
};

/// Pure.
FollowStep follow_step(const FollowFacts& facts);
/// What a request that goes on (kWait, kUnknown) waits for, for people; empty: it runs and
/// says so itself. Pure.
std::string what_it_waits_for(const FollowFacts& facts, const std::string& root, WallTime now);

}  // namespace filecall::client
