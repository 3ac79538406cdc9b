// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "ipc/request.h"
#include "worker/core/start_record.h"
#include "worker/exec/executor.h"

namespace filecall::worker {

/// One thing that must be answered.
struct Arrival {
  std::string stem;  ///< The request's id at its source.
  /// A request, or why what came is none: answer it.
  Result<Request, RequestFault> content;
  std::size_t bytes = 0;  ///< An estimate of what keeping it costs.
  WallTime received_at{};
  MonotonicTime noticed_at{};
  /// An earlier run started it and never answered. Set in the first handing out only.
  std::optional<StartRecord> earlier_start;
  std::uint32_t user = 0;   ///< Who asks, where several users do (RootFiles).
  bool is_outside = false;  ///< It is of a user who may not ask there.
  /// What an earlier start came to, when that is known: its answer. Set in the first handing out
  /// only.
  std::optional<Outcome> earlier_outcome{};
};

/// A start that is about to happen. Views: valid during the call.
struct Start {
  std::string_view stem;
  std::string_view command;
  StartRecord record;
  WallTime started_at{};
};

/// An answer on its way.
struct Answer {
  std::string stem;
  std::string bytes;                 ///< The rendered response.
  std::optional<StartRecord> start;  ///< What was recorded of its start: done with by the answer.
  /// Its command may be executed a second time without harm: an answer that comes too late is then
  /// dropped instead of kept aside.
  bool may_repeat = false;
};

/// How the holding of a request ends.
enum class Settlement : std::uint8_t {
  kAnswered,  ///< Its answer is delivered.
  kReturned,  ///< Without an answer: it stays pending, for this worker or the next.
};

/// What became of a cancel at the source.
enum class SourceCancel : std::uint8_t {
  kHeld,      ///< It was pending and unread. Now it is held here, and must be answered.
  kEnding,    ///< Another worker executes it and ends it.
  kAnswered,  ///< It has an answer, or one is on its way.
  kUnknown,   ///< There is no such request.
};

/// What a source says of itself. Views: valid until its next non-const call.
struct SourceState {
  /// Everything that was there has been handed out: what `--drain` waits for.
  bool is_drained = false;
  /// Nothing is on its way to or from it: it may be closed and destroyed.
  bool is_idle = true;
  /// Why it takes no answers now (a full disk). Empty: it does. While it is set nothing more
  /// should be taken; answers are kept and tried again.
  std::string_view problem;
  std::int64_t waiting = 0;  ///< Requests known and not handed out yet.
  /// Each held request must be extended at least this often; zero: never, it is held until settled.
  Duration lease{};
  /// All that is on its way are answers that it does not take (see `problem`).
  bool is_stuck = false;
};

/// Where requests come from and answers go, as a worker sees it: a root directory, a work queue
/// between machines, values in memory. It hides what those are made of.
///
/// Passive: the owner polls poll_fd(), calls on_readable() when it is readable and on_wake() when
/// next_wake() is reached, takes arrivals while it has room for them, and ends each of its turns
/// with flush(). What next() handed out is *held*: it is not handed out again until settle().
///
/// Loop thread only; nothing blocks but close(). A `done` is called once, on the loop, perhaps
/// before the call that takes it returns.
class Source {
 public:
  virtual ~Source() = default;

  /// A descriptor to poll for reading; -1 when there is none (polling by timer alone).
  virtual int poll_fd() const = 0;
  virtual void on_readable(MonotonicTime now) = 0;
  virtual Deadline next_wake() const = 0;
  virtual void on_wake(MonotonicTime now) = 0;

  /// Next arrival, now held; nullopt: nothing is ready. It was pending (see is_pending) a moment
  /// ago, unless its command may repeat: then it may have a response.
  virtual std::optional<Arrival> next(MonotonicTime now) = 0;
  /// Whether a held request still asks for execution: its file is there and has no response.
  virtual bool is_pending(std::string_view stem) const = 0;
  /// Reads a held request once more (its body was dropped while it waited). not_found: withdrawn.
  virtual Result<Arrival> read_again(std::string_view stem, MonotonicTime now) = 0;
  /// It is still being worked on: renews the lease, where holding is one (SourceState::lease).
  virtual void extend(std::string_view stem, MonotonicTime now) = 0;
  /// Ends holding.
  virtual void settle(std::string_view stem, Settlement how) = 0;

  /// Makes a start durable before it happens; `done` says whether it is. The record replaces the
  /// one of the start before.
  virtual void record_start(const Start& start, std::function<void(Result<void>)> done) = 0;
  /// The start did not happen after all, or does not count: no later run must find its record.
  virtual void withdraw_start(std::string_view stem, const StartRecord& record) = 0;
  /// Delivers an answer, write-once. `done` is called when it is as durable as the source promises,
  /// with false when there was another answer before: ours is then kept aside, or dropped. Answers
  /// that cannot be delivered now (a full disk) are kept and tried again.
  using Answered = std::function<void(std::string_view stem, bool is_first)>;
  virtual void answer(Answer answer, Answered done) = 0;
  /// What a held request's execution says meanwhile; null when nothing can be kept of it.
  virtual std::unique_ptr<EventSink> events(std::string_view stem) = 0;

  /// Cancels a request that is not held here. `earlier_start`: Arrival's, of a kHeld one.
  using Cancelled =
      std::function<void(SourceCancel result, std::optional<StartRecord> earlier_start)>;
  virtual void cancel(std::string_view stem, Cancelled done) = 0;

  /// The end of a turn: what gathered in it goes on its way together.
  virtual void flush() = 0;
  virtual SourceState state() const = 0;
  /// The worker ends: what waits to be tried again is given up (its requests stay pending), and
  /// what is complete is brought to rest. May block. Nothing but state() is called afterwards.
  virtual void close() = 0;
};

}  // namespace filecall::worker
