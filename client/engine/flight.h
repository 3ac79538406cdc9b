// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/core/request_machine.h"
#include "client/store/request_row.h"
#include "spool/file_identity.h"

namespace filecall::client {

/// What a flight's two timers are for.
enum class TimerKind : std::uint8_t {
  kStep,    ///< The machine's: attempt, cancellation or backoff, whichever the stage has.
  kSettle,  ///< An unreadable response is looked at again.
};
inline constexpr int kTimerKindCount = 2;

/// One request that this client has in its hands.
struct Flight {
  RequestRow row;
  std::string bytes;           ///< The request's text until it is known to be dropped.
  std::string cache_identity;  ///< Under which its answer is kept; empty: it is not.

  bool is_new = false;       ///< Had no row before.
  bool is_held = false;      ///< Begins when the server is ready.
  bool is_followed = false;  ///< Another live client drives it; we wait for its row to be final.
  bool is_from_earlier = false;  ///< Its final state was reached before this run.
  bool is_cached = false;        ///< Answered from the cache.
  bool is_dirty = false;         ///< The row must be written.
  bool is_listed = false;        ///< Is in the session's list of flights that changed this turn.
  bool is_unarmed = false;       ///< Its attempt's time starts when the worker is ready.
  bool is_rejected = false;      ///< Another request has the id; not ours to touch.
  bool is_copy_missing = false;  ///< GAVE_UP, and failed/ does not have it yet.

  std::vector<Action> actions;                    ///< To be done once the row is durable.
  std::optional<spool::FileIdentity> unreadable;  ///< A response that was no response when read.
  std::array<std::optional<MonotonicTime>, kTimerKindCount> armed;  ///< Set by TimerQueue alone.
};

/// What people are told of a row in its final state.
RequestOutcome outcome_of(const RequestRow& row, bool is_from_earlier);

inline ResponseVersion to_version(const spool::FileIdentity& identity) {
  return {identity.inode, identity.mtime_ns, identity.size, identity.is_restored};
}
inline spool::FileIdentity to_identity(const ResponseVersion& version) {
  return {version.inode, version.mtime_ns, version.size};
}

}  // namespace filecall::client
