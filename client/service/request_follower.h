// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "client/service/event_tail.h"
#include "client/service/follow_facts.h"
#include "client/service/ledger.h"
#include "ipc/answer_owner.h"
#include "ipc/json.h"

namespace filecall::client {

class FollowObserver {
 public:
  virtual ~FollowObserver() = default;
  /// One event; `line` is its text. What is no JSON object is left out.
  virtual void on_event(std::string_view line, const Json& event) = 0;
  /// What the request waits for, once for each reason that lasts.
  virtual void on_notice(const std::string& text) = 0;
};

/// Hands what was added to the events to the observer. Failures: EventTail's.
Result<void> tell_events(EventTail& tail, FollowObserver& observer);

/// Follows one request of a root to its end, through all attempts and however often its worker is
/// started again. Blocking; one thread.
class RequestFollower {
 public:
  /// `patience`: how long a request may be missing. All must outlive it.
  RequestFollower(Ledger& ledger, std::string root, std::string id, Duration patience,
                  FollowObserver& observer);

  struct End {
    bool is_interrupted = false;
    RequestState state = RequestState::kNew;  ///< Where last_answer() finds its answer.
    AskedBy asked = AskedBy::kReader;
  };
  /// `pause` waits for the time that it is given and returns false to interrupt. Failures:
  /// not_found (there is no such request, it was withdrawn, gc removed it), and what reading
  /// returns.
  Result<End> run(const std::function<bool(Duration)>& pause);

 private:
  Result<FollowFacts> look();
  Error withdrawn() const;
  void notice(const FollowFacts& facts);

  Ledger& ledger_;
  spool::Layout layout_;
  std::string id_;
  Duration patience_;
  FollowObserver& observer_;
  EventTail tail_;
  std::string waits_for_;
  std::string told_;
  MonotonicTime waits_since_{};
};

}  // namespace filecall::client
