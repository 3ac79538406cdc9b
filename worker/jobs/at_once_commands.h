// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.h"
#include "worker/engine/source.h"
#include "worker/exec/executor.h"
#include "worker/jobs/answer_sender.h"
#include "worker/jobs/session.h"

namespace filecall::worker {

/// Runs commands without a destination: they wait for nothing and leave no start record. Most end
/// before their start returns. Loop thread only.
class AtOnceCommands {
 public:
  /// Both must outlive it.
  AtOnceCommands(AnswerSender& sender, const Clock& clock) : sender_(sender), clock_(clock) {}
  // Executions call back into it.
  AtOnceCommands(const AtOnceCommands&) = delete;
  AtOnceCommands& operator=(const AtOnceCommands&) = delete;

  void execute(Session& session, Arrival arrival, Executor& executor);
  /// Those that have not ended stay pending; what they still report is ignored.
  void give_back();
  /// Renews the leases of a session's.
  void extend(Session& session, MonotonicTime now);
  bool empty() const { return commands_.empty(); }
  /// How many have been answered.
  std::uint64_t endings() const { return endings_; }

 private:
  struct Command {
    Session* session;
    Arrival arrival;
    WallTime started_at;
    bool may_repeat;
    std::optional<Outcome> outcome = std::nullopt;
  };

  void on_done(std::uint64_t number, Outcome outcome);
  void answer(Command& command, Outcome outcome);

  AnswerSender& sender_;
  const Clock& clock_;
  std::map<std::uint64_t, Command> commands_;
  Command* starting_ = nullptr;  ///< The one whose start() has not returned.
  std::uint64_t count_ = 0;
  std::uint64_t endings_ = 0;
};

}  // namespace filecall::worker
