// SPDX-License-Identifier: MIT
#include "worker/jobs/at_once_commands.h"

#include <utility>

#include "base/check.h"

namespace filecall::worker {

void AtOnceCommands::execute(Session& session, Arrival arrival, Executor& executor) {
  const bool repeatable = executor.info().may_repeat && !arrival.earlier_start;
  Command command{&session, std::move(arrival), clock_.wall(), repeatable};
  const std::uint64_t number = ++count_;
  starting_ = &command;
  const auto execution =
      executor.start(*command.arrival.content, {session.path, command.arrival.user},
                     [this, number](Outcome outcome) { on_done(number, std::move(outcome)); });
  starting_ = nullptr;
  CHECK(execution == nullptr, "a command without a destination cannot be ended from outside");
  if (!command.outcome) {
    commands_.emplace(number, std::move(command));
    return;
  }
  answer(command, std::move(*command.outcome));
}

void AtOnceCommands::on_done(std::uint64_t number, Outcome outcome) {
  if (starting_ != nullptr && number == count_) {
    starting_->outcome = std::move(outcome);
    return;
  }
  auto found = commands_.extract(number);
  if (found.empty()) return;  // A stop gave it back.
  answer(found.mapped(), std::move(outcome));
}

void AtOnceCommands::answer(Command& command, Outcome outcome) {
  ++endings_;
  sender_.answer(*command.session, command.arrival, std::move(outcome), command.may_repeat,
                 command.started_at);
}

void AtOnceCommands::give_back() {
  for (const auto& [number, command] : std::exchange(commands_, {})) {
    command.session->source->settle(command.arrival.stem, Settlement::kReturned);
  }
}

void AtOnceCommands::extend(Session& session, MonotonicTime now) {
  for (const auto& [number, command] : commands_) {
    if (command.session == &session) session.source->extend(command.arrival.stem, now);
  }
}

}  // namespace filecall::worker
