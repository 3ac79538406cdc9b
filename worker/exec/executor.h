// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/effects.h"
#include "ipc/json.h"
#include "ipc/request.h"
#include "ipc/response.h"

namespace filecall::worker {

/// What a command came to: its `data`, or why it failed.
using Outcome = Result<Json, Failure>;

/// What the catalog says of a command (`system.describe`).
struct CommandInfo {
  std::string name;
  std::string description;  ///< One or two sentences, for people and planners.
  std::string_view schema;  ///< JSON Schema (draft-07) of `params`; lives as long as the process.
  Effects effects = Effects::kNone;
  Risk risk = Risk::kLow;
  /// Executing it a second time does no harm and costs next to nothing (an echo, a small read):
  /// whether it was answered before is then seen when its answer is published, and a second answer
  /// is dropped.
  bool may_repeat = false;
  /// Its outcome says whether it had effects, also after cancel(): one that was ended before it had
  /// any fails with `cancelled`; any other outcome is what is answered, whatever ended it.
  bool tells_effects = false;
};

/// What the dispatcher must know before a request may start.
struct ExecutionPlan {
  Effects effects = Effects::kNone;
  /// Flow control's unit: a provider, a cluster, a tool class. Empty: runs at once, on the loop,
  /// never waits for room and leaves no start record (system.*).
  std::string destination;
  /// A part of the destination that limits its callers by itself (a provider's model); empty: it
  /// has no parts.
  std::string lane{};
  /// The longest the execution may take; zero: no limit. The request's own `timeout_ms` is applied
  /// by the worker, the smaller one wins.
  Duration timeout = Duration::zero();
  /// What it counts against its destination's tokens a second, where these are limited.
  double tokens = 0;
  /// The setting that allows no longer timeout; empty: the request may ask for more.
  std::string_view timeout_bound = {};
};

/// Takes what an execution says meanwhile: lines of events/{id}.jsonl. Bounded; what cannot be
/// written is dropped, because an answer never waits for its events.
class EventSink {
 public:
  virtual ~EventSink() = default;
  /// False: it was dropped.
  virtual bool write(const Json& event) = 0;
};

/// Something that is wrong with a destination, for the status file.
struct DestinationProblem {
  std::string destination;
  std::string problem;
};

/// Where a request came from; some commands act on their own root only (system.cancel).
struct ExecutionContext {
  std::string_view root;   ///< The root the request was dropped into; lives as long as the worker.
  std::uint32_t user = 0;  ///< Who dropped it, where several users may.
  /// Opens the request's events; may be empty (nobody listens), may return null.
  std::function<std::unique_ptr<EventSink>()> open_events = nullptr;
  /// Says that the destination has answered well and is not asked again: another command may begin
  /// while this one works on what it got. May be empty; on the loop, before `done`.
  std::function<void()> yield_place = nullptr;
};

/// Something that runs. Destroying it without `done` having been called is a programmer error,
/// except after cancel().
class Execution {
 public:
  virtual ~Execution() = default;
  /// Ends it soon: children get TERM, then KILL. `done` is still called exactly once, when nothing
  /// of it is left; what it reports is ignored by a worker that cancelled it.
  virtual void cancel() = 0;
  /// What is known so far (a tool's output until now): an object for `error_details` of an answer
  /// that is given before the end (time-out, cancel). Null when there is nothing to show.
  virtual Json partial() const { return Json(); }
};

/// Runs one command. A worker has one instance, living as long as the worker; loop thread only.
class Executor {
 public:
  virtual ~Executor() = default;

  virtual const CommandInfo& info() const = 0;
  /// Checks what the schema cannot say (programs allowed, paths beneath roots) and classifies.
  /// Reads no file that the request names and starts nothing. `params` already fit the schema.
  virtual Result<ExecutionPlan, Failure> plan(const Request& request) = 0;
  /// Starts it; `done` is called once, on the loop, perhaps before start() returns (then null may
  /// be returned). Null always for a plan without a destination: nobody can end such an execution.
  virtual std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                           std::function<void(Outcome)> done) = 0;
  /// What is wrong with the destinations that it serves, now.
  virtual std::vector<DestinationProblem> problems() const { return {}; }
};

}  // namespace filecall::worker
