// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_watch_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kEventBytesMax = 16 * 1024 * 1024;
/// More objects than these are watched by nobody who waits for all of them.
constexpr int kWatchedMax = 500;
/// A watch that is shorter and brought nothing counts as quick; after so many in a row something is
/// wrong that another one does not repair.
constexpr Duration kQuickEnd = seconds(1);
constexpr int kQuickEndsMax = 4;
/// Some changes a second for each of the watched objects, for minutes.
constexpr int kChangesMax = 100'000;
/// A bookmark a minute, for the longest time that one may wait, many times over.
constexpr int kOthersMax = 1000;
/// A server ends a watch when its time is over; one in a few seconds, for the longest time.
constexpr int kWatchesMax = 1000;
/// The command's own timer ends a request; this is how much later the request ends by itself.
constexpr Duration kWatchEndsLate = seconds(2);

/// The Status of an ERROR event as the failure that the same answer would be.
Failure failure_of_event(const Json& status) {
  ApiProblem problem;
  problem.http_status = static_cast<int>(count_member(status, "code").value_or(500));
  problem.status = status;
  return failure_of(problem);
}

}  // namespace

AfterWatch after_watch(const WatchEnd& end, int& quick_ends) {
  if (end.is_time_up) return AfterWatch::kTimeUp;
  const bool is_quick = !end.has_event && end.lasted < kQuickEnd;
  quick_ends = is_quick ? quick_ends + 1 : 0;
  const bool is_expired = end.problem != nullptr && end.problem->code == ErrorCode::kOutOfRange;
  // Who is asked to come back later (429) is not asked again at once.
  if (end.problem != nullptr && !is_expired &&
      (!end.problem->is_retryable() || end.problem->code == ErrorCode::kResourceExhausted)) {
    return AfterWatch::kGiveUp;
  }
  if (quick_ends >= kQuickEndsMax) return AfterWatch::kGiveUp;
  return end.problem == nullptr ? AfterWatch::kWatch : AfterWatch::kList;
}

bool count_event(EventCount& count, bool is_change) {
  int& counted = is_change ? count.changes : count.others;
  return ++counted <= (is_change ? kChangesMax : kOthersMax);
}

void WatchRun::begin_time(Duration time_max) {
  began_ = monotonic_now();
  deadline_ = Deadline::after(began_, time_max);
  if (time_max <= Duration::zero()) return;
  timer_.emplace(cluster().loop(), [this] { end_in_time(); });
  timer_->start(time_max);
}

void WatchRun::end_in_time() {
  if (has_ended()) return;
  // The loop's clock stands still within a turn and may be behind.
  const Duration left = deadline_.time_left(monotonic_now());
  if (left > Duration::zero()) return timer_->start(left);
  drop_requests();
  conclude(false);  // May destroy this.
}

void WatchRun::follow(Watched watched) {
  watched_ = std::move(watched);
  list();
}

Duration WatchRun::elapsed() const { return monotonic_now() - began_; }

void WatchRun::list() {
  drop_requests();
  ApiRequest request;
  request.path =
      with_query(collection_path(watched_.resource, watched_.name_space),
                 {{"fieldSelector", watched_.name.empty() ? "" : "metadata.name=" + watched_.name},
                  {"labelSelector", watched_.label_selector},
                  {"limit", std::to_string(kWatchedMax)}});
  request.asked = object_kind(watched_.resource);
  if (timer_) {
    const Duration max = deadline_.time_left(monotonic_now()) + kWatchEndsLate;
    HttpTimeouts& limits = request.timeouts;
    limits = {std::min(limits.connect, max), std::min(limits.first_event, max),
              std::min(limits.idle, max), std::min(limits.total, max)};
  }
  try_send(std::move(request), [this](ApiAnswer answer) {
    if (!answer) return give_up(std::move(answer).error());
    const Json& list = answer->object();
    if (!is_list(list)) return give_up(no_list());
    const Json& metadata = member(list, "metadata");
    if (!text_member(metadata, "continue").empty()) {
      return give_up(
          Failure::of({ErrorCode::kInvalidArgument,
                       fmt::format("more than {} objects fit; name fewer of them", kWatchedMax)}));
    }
    version_ = text_member(metadata, "resourceVersion");
    if (take_list(asked_of(member(list, "items")))) return conclude(true);
    watch();
  });
}

bool WatchRun::is_asked(const Json& object) const {
  return watched_.name.empty() || text_member(member(object, "metadata"), "name") == watched_.name;
}

Json WatchRun::asked_of(const Json& items) const {
  if (watched_.name.empty()) return items;
  Json out = Json::array();
  for (const Json& item : items) {
    if (is_asked(item)) out.push_back(item);
  }
  return out;
}

void WatchRun::watch() {
  drop_requests();
  if (++watches_ > kWatchesMax) {
    Failure failure =
        Failure::of({ErrorCode::kUnavailable, "the server ends each watch after a moment"});
    failure.retryable = false;
    return give_up(std::move(failure));
  }
  watch_began_ = monotonic_now();
  const Duration left = deadline_.time_left(watch_began_);
  if (left <= Duration::zero()) return conclude(false);
  has_event_ = false;
  problem_.reset();
  const auto whole = std::chrono::ceil<seconds>(left);
  ApiRequest request;
  request.path =
      with_query(collection_path(watched_.resource, watched_.name_space),
                 {{"watch", "true"},
                  {"fieldSelector", watched_.name.empty() ? "" : "metadata.name=" + watched_.name},
                  {"labelSelector", watched_.label_selector},
                  {"resourceVersion", version_},
                  {"allowWatchBookmarks", "true"},
                  {"timeoutSeconds", std::to_string(whole.count())}});
  request.asked = object_kind(watched_.resource);
  request.body_bytes_max = kEventBytesMax;
  request.timeouts = {seconds(10), left + kWatchEndsLate, left + kWatchEndsLate,
                      left + kWatchEndsLate};
  request.on_event = [this](ApiReply& event) { return take_event(event); };
  try_send(std::move(request), [this](ApiAnswer answer) { take_end(std::move(answer)); });
}

bool WatchRun::take_event(ApiReply& reply) {
  const Json& event = reply.object();
  const std::string type = text_member(event, "type");
  const Json& object = member(event, "object");
  if (type == "ERROR") {
    problem_ = failure_of_event(object);
    return false;
  }
  if (type.empty()) {
    problem_ = Failure::of({ErrorCode::kUnavailable,
                            "what came instead of a watch's events has another form; is that an "
                            "API server, or a page of a proxy before it?"});
    problem_->retryable = false;
    return false;
  }
  const std::string version = text_member(member(object, "metadata"), "resourceVersion");
  if (!version.empty()) version_ = version;
  has_event_ = true;
  const bool is_change = type == "ADDED" || type == "MODIFIED" || type == "DELETED";
  if (!count_event(events_, is_change)) {
    // Not to be asked again at once: another watch would bring the same.
    problem_ = Failure::of({ErrorCode::kUnavailable,
                            "the server sends more events than can be followed; wait for fewer "
                            "objects, or look at the server"});
    problem_->retryable = false;
    return false;
  }
  // Not every server and proxy knows the field selector.
  if (is_change && is_asked(object)) is_enough_ = take_change(type, object);
  // Of what comes at once the timer hears nothing.
  return !is_enough_ && !deadline_.is_reached(monotonic_now());
}

void WatchRun::take_end(ApiAnswer answer) {
  if (is_enough_) return conclude(true);
  if (!answer && !problem_) problem_ = std::move(answer).error();
  const MonotonicTime now = monotonic_now();
  WatchEnd end;
  end.is_time_up = deadline_.is_reached(now);
  end.has_event = has_event_;
  end.lasted = now - watch_began_;
  end.problem = problem_ ? &*problem_ : nullptr;
  switch (after_watch(end, quick_ends_)) {
    case AfterWatch::kTimeUp:
      return conclude(false);
    case AfterWatch::kWatch:
      return watch();
    case AfterWatch::kList:
      return list();
    case AfterWatch::kGiveUp:
      break;
  }
  if (problem_) return give_up(*std::move(problem_));
  give_up(Failure::of({ErrorCode::kUnavailable, "the server ends every watch at once"}));
}

}  // namespace filecall::worker::kube
