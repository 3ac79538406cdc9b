// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/core/request_machine.h"
#include "client/core/submission.h"
#include "client/engine/desk.h"
#include "client/engine/run_counts.h"

namespace filecall::client {

/// What a flight's two timers are for.
enum class TimerKind : std::uint8_t {
  kStep,    ///< The machine's: attempt, cancellation or backoff, whichever the stage has.
  kSettle,  ///< An unreadable response is looked at again.
};
inline constexpr int kTimerKindCount = 2;

/// One request that this client has in its hands.
struct Flight {
  DeskTask task;  ///< Its row, and what the desk is to do with it.
  RunId run_id = 0;
  RunCounts* run = nullptr;  ///< Whose it is; outlives it.
  RetryPolicy retry;
  Duration attempt_timeout{};
  std::string cache_identity;                ///< Under which its answer is kept; empty: it is not.
  std::shared_ptr<const Response> response;  ///< What ended it.
  std::string refusal;                       ///< Why it is not to be asked; empty: it is to be.

  bool is_held = false;      ///< Begins when the server is ready.
  bool is_followed = false;  ///< Another live client drives it; we wait for its row to be final.
  bool is_from_earlier = false;  ///< Its final state was reached before this run.
  bool is_cached = false;        ///< Answered from the cache.
  bool is_dirty = false;         ///< The row must be written.
  bool is_listed = false;        ///< Is in the list of flights that have something for the desk.
  bool is_unarmed = false;       ///< Its attempt's time starts when the worker is ready.
  bool was_spared = false;       ///< Its time is over, but a pause may hold it back.
  bool is_rejected = false;      ///< Another request has the id; not ours to touch.
  bool is_copy_missing = false;  ///< GAVE_UP, and failed/ does not have it yet.
  bool is_reported = false;      ///< Its outcome is out; a last row is to be written.
  bool is_abandoned = false;     ///< Its run is gone: it goes when the desk has it back.

  // While the desk has it nothing of it changes; what happens meanwhile is done afterwards.
  bool is_at_desk = false;
  bool wants_look = false;
  bool wants_cancel = false;
  std::optional<CancelWish> wants_withdrawal;
  std::array<bool, kTimerKindCount> is_due{};

  std::vector<Action> actions;              ///< To be done once the row is durable.
  std::optional<AnswerVersion> unreadable;  ///< An answer that was no response when read.
  std::array<std::optional<MonotonicTime>, kTimerKindCount> armed;  ///< Set by TimerQueue alone.
  Spend uncounted;                 ///< Of answers whose count is not durable yet.
  std::vector<Submission> joined;  ///< The same id once more: asked when this one has ended.

  const std::string& id() const { return task.row.request_id; }
  RequestProgress& progress() { return task.row.progress; }
  const RequestProgress& progress() const { return task.row.progress; }
};

/// One that was only looked up and has not ended goes back to its run: counted as left if that is
/// stopping. The flight has no text any more.
void hand_back(Flight& flight);
/// What people see of a row in its final state.
RequestOutcome outcome_of(const RequestRow& row, bool is_from_earlier);
/// The same of a flight that has ended, with what ended it.
RequestOutcome outcome_of(const Flight& flight);
/// Of one whose id is another request's.
RequestOutcome rejection_of(const Flight& flight, const std::string& reason);

}  // namespace filecall::client
