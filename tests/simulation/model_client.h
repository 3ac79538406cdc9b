// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "client/core/request_machine.h"
#include "tests/simulation/world.h"

namespace filecall::simulation {

/// What the client's database holds; survives its death.
using Ledger = std::map<Id, client::RequestProgress>;

/// The client's real state machine on a modelled directory. Every method is one visible step;
/// actions that were decided are performed one a turn, so a death may come between any two.
class ModelClient {
 public:
  ModelClient(World& world, Ledger& ledger, int request_count, const client::RetryPolicy& policy)
      : world_(world), ledger_(ledger), request_count_(request_count), policy_(policy) {
    for (Id id = 0; id < request_count; ++id) handle(id, {client::EventKind::kSubmit});
  }

  /// One turn of anything: an action, a look at a response, or a timer.
  void turn() {
    if (!actions_.empty() && !world_.chance(4)) return perform();
    const Id id = static_cast<Id>(world_.random.below(static_cast<std::uint64_t>(request_count_)));
    // While actions of an id are outstanding its files are not looked at: the engine is the same.
    for (const auto& [busy, action] : actions_) {
      if (busy == id) return;
    }
    if (world_.chance(3)) return fire_timer(id);
    look(id);
  }

  bool is_idle() const { return actions_.empty(); }

 private:
  void handle(Id id, const client::Event& event) {
    const auto transition = client::step(ledger_[id], event, policy_, world_.wall(), world_.random);
    ledger_[id] = transition.next;  // Durable before any action.
    if (transition.is_changed) timers_.erase(id);
    for (const auto& action : transition.actions) actions_.emplace_back(id, action);
  }

  void look(Id id) {
    const auto response = world_.responses.find(id);
    if (response == world_.responses.end()) return;
    client::Event event;
    event.kind = response->second.is_success ? client::EventKind::kResponseSuccess
                                             : client::EventKind::kResponseError;
    event.version = response->second.version;
    event.code = response->second.code;
    event.message = "failed";
    event.retryable = response->second.retryable;
    event.retry_after = response->second.retry_after;
    handle(id, event);
  }

  void fire_timer(Id id) {
    const auto timer = timers_.find(id);
    if (timer == timers_.end() || timer->second.first > world_.now_ms) return;
    const client::EventKind kind = timer->second.second;
    timers_.erase(timer);
    handle(id, {kind});
  }

  void perform() {
    const auto [id, action] = actions_.front();
    actions_.pop_front();
    using client::ActionKind;
    switch (action.kind) {
      case ActionKind::kRemoveFailedCopy:
        world_.failed.erase(id);
        break;
      case ActionKind::kSetAsideResponse:
        break;
      case ActionKind::kDeleteResponse:
        if (const auto found = world_.responses.find(id);
            found != world_.responses.end() && found->second.version == action.version) {
          world_.responses.erase(found);
        }
        break;
      case ActionKind::kDropRequest:
        world_.requests.insert(id);
        break;
      case ActionKind::kSendCancel:
        world_.cancels.insert(id);
        break;
      case ActionKind::kCopyResponse:
      case ActionKind::kWriteOwnFailure:
        world_.failed[id] = {};
        handle(id, {client::EventKind::kCopied});
        break;
      case ActionKind::kArmAttemptTimeout:
        timers_[id] = {world_.now_ms + 500, client::EventKind::kAttemptTimeout};
        break;
      case ActionKind::kArmCancelTimeout:
        timers_[id] = {world_.now_ms + 200, client::EventKind::kCancelTimeout};
        break;
      case ActionKind::kArmBackoff:
        timers_[id] = {world_.now_ms + to_ms(action.delay), client::EventKind::kBackoffElapsed};
        break;
    }
  }

  World& world_;
  Ledger& ledger_;
  int request_count_;
  client::RetryPolicy policy_;
  std::deque<std::pair<Id, client::Action>> actions_;
  std::map<Id, std::pair<std::int64_t, client::EventKind>> timers_;
};

}  // namespace filecall::simulation
