// SPDX-License-Identifier: MIT
#include "client/service/request_follower.h"

#include <fmt/core.h>
#include <unistd.h>

#include <utility>

#include "os/clock.h"
#include "spool/pauses.h"
#include "spool/start_records.h"

namespace filecall::client {
namespace {

constexpr Duration kEventsEvery = milliseconds(40);
/// Between looks at everything else; a response is looked for at once.
constexpr Duration kLookEvery = milliseconds(400);
/// What ends sooner is not worth a word.
constexpr Duration kNoticeAfter = seconds(1);

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace

Result<void> tell_events(EventTail& tail, FollowObserver& observer) {
  return tail.read([&observer](std::string_view line) {
    const Json event = Json::parse(line, nullptr, false);
    const auto name = event.is_object() ? event.find("event") : event.end();
    if (event.is_object() && name != event.end() && name->is_string()) {
      observer.on_event(line, event);
    }
  });
}

RequestFollower::RequestFollower(Ledger& ledger, std::string root, std::string id,
                                 Duration patience, FollowObserver& observer)
    : ledger_(ledger),
      layout_(std::move(root)),
      id_(std::move(id)),
      patience_(patience),
      observer_(observer),
      tail_(layout_.events(id_)) {}

Result<FollowFacts> RequestFollower::look() {
  FollowFacts facts;
  // In this order: a response that comes in between is found by the next look.
  facts.is_started = spool::has_start_record(layout_, id_);
  facts.has_response = is_there(layout_.response(id_));
  TRY_ASSIGN(facts.entry, ledger_.find(id_));
  facts.has_request = is_there(layout_.request(id_));
  facts.has_events = is_there(layout_.events(id_));
  TRY_ASSIGN(const WorkerView worker, worker_view(layout_.root()));
  facts.worker = worker.presence;
  if (auto pauses = spool::read_pauses(layout_)) facts.pauses = list_pauses(*pauses);
  return facts;
}

Error RequestFollower::withdrawn() const {
  return {ErrorCode::kNotFound,
          fmt::format("{}: withdrawn: its request file was deleted before it began", id_)};
}

void RequestFollower::notice(const FollowFacts& facts) {
  const MonotonicTime now = monotonic_now();
  std::string reason = what_it_waits_for(facts, layout_.root(), wall_now());
  // The rest of a delay is no reason of its own.
  const auto same = [](std::string_view a, std::string_view b) {
    return a.substr(0, a.rfind(" in ")) == b.substr(0, b.rfind(" in "));
  };
  if (!same(reason, waits_for_)) {
    waits_for_ = reason;
    waits_since_ = now;
  }
  if (now - waits_since_ < kNoticeAfter || same(told_, waits_for_)) return;
  told_ = waits_for_;
  if (reason.empty()) return;
  observer_.on_notice(reason);
}

Result<RequestFollower::End> RequestFollower::run(const std::function<bool(Duration)>& pause) {
  const Deadline until_known = Deadline::after(monotonic_now(), patience_);
  Deadline next_look = Deadline::after(monotonic_now(), Duration::zero());
  bool was_known = false;
  for (bool has_answer = false;; has_answer = is_there(layout_.response(id_))) {
    TRY(tell_events(tail_, observer_));
    if (has_answer || next_look.is_reached(monotonic_now())) {
      next_look = Deadline::after(monotonic_now(), kLookEvery);
      TRY_ASSIGN(const FollowFacts facts, look());
      const FollowStep step = follow_step(facts);
      switch (step) {
        case FollowStep::kEnded:
          // The last event stands there before the response does.
          TRY(tell_events(tail_, observer_));
          return facts.entry ? End{false, facts.entry->state,
                                   facts.entry->is_inferred ? AskedBy::kAnyone : AskedBy::kReader}
                             : End{false, RequestState::kPolling};
        case FollowStep::kCollected:
          return fail(ErrorCode::kNotFound,
                      fmt::format("{}: it ended, and gc removed its files", id_));
        case FollowStep::kWithdrawn:
          return Unexpected(withdrawn());
        case FollowStep::kUnknown:
          if (was_known) return Unexpected(withdrawn());
          if (!until_known.is_reached(monotonic_now())) break;
          TRY(ledger_.show(id_));  // Says it, with ids like it.
          break;
        case FollowStep::kWait:
          was_known = true;
          break;
      }
      notice(facts);
    }
    if (!pause(kEventsEvery)) return End{.is_interrupted = true};
  }
}

}  // namespace filecall::client
