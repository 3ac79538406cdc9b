// SPDX-License-Identifier: MIT
#include "client/service/follow_facts.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/duration.h"

namespace filecall::client {
namespace {

std::string about_a_retry(const FollowFacts& facts, WallTime now) {
  const RequestEntry& entry = *facts.entry;
  std::string held = what_holds_the_batch(facts.pauses, entry.batch);
  if (!held.empty()) return "waits: " + held;
  const Duration left =
      entry.due_at ? std::max(Duration::zero(), Duration(*entry.due_at - now)) : Duration::zero();
  if (entry.attempts == 0) {
    return fmt::format("was given back before it began; it is asked again in {}",
                       format_duration(std::max(left, Duration(seconds(1)))));
  }
  return fmt::format("attempt {} failed ({}: {}); the next one begins in {}", entry.attempts,
                     entry.error_code ? to_string(*entry.error_code) : "unknown",
                     entry.error_message, format_duration(std::max(left, Duration(seconds(1)))));
}

}  // namespace

FollowStep follow_step(const FollowFacts& facts) {
  if (!facts.entry) {
    // Deleted while it executed: its response is published all the same.
    if (facts.has_response) return FollowStep::kEnded;
    return facts.is_started ? FollowStep::kWait : FollowStep::kUnknown;
  }
  if (facts.entry->is_collected) return FollowStep::kCollected;
  if (is_final(facts.entry->state)) return FollowStep::kEnded;
  if (facts.entry->owner_is_alive) return FollowStep::kWait;
  if (facts.has_response) return FollowStep::kEnded;
  if (!facts.has_request && !facts.is_started) return FollowStep::kWithdrawn;
  return FollowStep::kWait;
}

std::string what_it_waits_for(const FollowFacts& facts, const std::string& root, WallTime now) {
  if (follow_step(facts) == FollowStep::kUnknown) return "waits for the request to be dropped";
  if (facts.entry && facts.entry->state == RequestState::kWaiting) {
    return about_a_retry(facts, now);
  }
  if (facts.has_response) return "waits for its client to count the response";
  switch (facts.worker) {
    case WorkerPresence::kNotRunning:
      return fmt::format("no worker runs; 'filecall worker start --root {}' starts one", root);
    case WorkerPresence::kStarting:
      return "waits for the worker to be ready";
    case WorkerPresence::kDraining:
      return facts.is_started ? "runs; the worker stops when it has ended"
                              : "waits: the worker stops, and the next one takes it";
    case WorkerPresence::kReady:
      break;
  }
  if (!facts.is_started) {
    const std::string why = facts.pauses.empty() ? "" : " (" + what_is_paused(facts.pauses) + ")";
    return "waits for its turn" + why;
  }
  return facts.has_events ? "" : "runs, and writes no events; its response is awaited";
}

}  // namespace filecall::client
