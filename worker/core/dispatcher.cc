// SPDX-License-Identifier: MIT
#include "worker/core/dispatcher.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace filecall::worker {
namespace {

/// Lanes of one destination; their names come from requests, so there may be any number.
constexpr int kLanesMax = 100;
constexpr const char* kOtherLanes = "(others)";

}  // namespace

bool Pauses::hold(const Route& route) const {
  if (everything) return true;
  if (names.empty()) return false;
  if (names.contains(route.command) || names.contains(route.destination)) return true;
  const std::string whole = fmt::format("{}/{}", route.destination, route.lane);
  if (names.contains(whole)) return true;
  constexpr std::string_view kModels = "llm.";
  if (!route.destination.starts_with(kModels)) return false;
  return names.contains(route.destination.substr(kModels.size())) ||
         names.contains(std::string_view(whole).substr(kModels.size()));
}

Dispatcher::Dispatcher(std::map<std::string, DestinationLimits, std::less<>> limits, MonotonicTime,
                       UserLimits users)
    : limits_(std::move(limits)), users_(users) {}

DestinationLimits Dispatcher::limits_of(std::string_view name) const {
  auto found = limits_.find(name);
  if (found == limits_.end()) found = limits_.find("");
  return found == limits_.end() ? DestinationLimits{} : found->second;
}

Dispatcher::Lane& Dispatcher::lane(Route route, MonotonicTime now) {
  Key key(route.destination, route.lane);
  if (const auto found = lanes_.find(key); found != lanes_.end()) return found->second;
  auto target = destinations_.find(route.destination);
  if (target == destinations_.end()) {
    const DestinationWindow limits(limits_of(route.destination), now);
    target = destinations_.emplace(route.destination, Destination{limits}).first;
  }
  Destination& destination = target->second;
  if (destination.lanes >= kLanesMax) {
    key.second = kOtherLanes;
    if (const auto found = lanes_.find(key); found != lanes_.end()) return found->second;
  }
  ++destination.lanes;
  const DestinationWindow window({.concurrency = destination.limits.concurrency()}, now);
  const auto made = lanes_.emplace(std::move(key), Lane{&destination, window}).first;
  made->second.name = made->first.first;
  made->second.lane = made->first.second;
  return made->second;
}

Deadline Dispatcher::Lane::next_room(MonotonicTime now) {
  return std::max(window.next_room(now), destination->limits.next_room(now));
}

void Dispatcher::enqueue(JobId id, const Asker& asker, Route route, int priority, MonotonicTime now,
                         double tokens) {
  Lane& target = lane(route, now);
  const auto [job, is_new] =
      waiting_.emplace(id, Waiting{&target, asker, priority, tokens, route.command});
  CHECK(is_new && !in_flight_.contains(id), "a job waits once");
  users_.count_waiting(asker, 1);
  place(id, job->second);
}

bool Dispatcher::is_held(const Waiting& job) const {
  const auto pauses = pauses_.empty() ? pauses_.end() : pauses_.find(job.asker.root);
  if (pauses == pauses_.end()) return false;
  return pauses->second.hold({job.lane->name, job.lane->lane, job.command});
}

void Dispatcher::place(JobId id, Waiting& job) {
  job.is_held = is_held(job);
  if (job.is_held) {
    ++job.lane->held;
    ++held_;
  } else {
    job.lane->queue.insert(job.asker, job.priority, id);
  }
}

void Dispatcher::displace(JobId id, const Waiting& job) {
  if (job.is_held) {
    --job.lane->held;
    --held_;
    return;
  }
  job.lane->queue.erase(job.asker, job.priority, id);
}

void Dispatcher::pause(int root, Pauses pauses) {
  pauses_.erase(root);
  if (pauses.everything || !pauses.names.empty()) pauses_.emplace(root, std::move(pauses));
  for (auto& [id, job] : waiting_) {
    if (job.asker.root != root || job.is_held == is_held(job)) continue;
    displace(id, job);
    place(id, job);
  }
}

std::optional<JobId> Dispatcher::next(MonotonicTime now) {
  if (waiting_.empty()) return std::nullopt;
  auto candidate = lanes_.upper_bound(last_lane_);
  for (std::size_t tried = 0; tried < lanes_.size(); ++tried, ++candidate) {
    if (candidate == lanes_.end()) candidate = lanes_.begin();
    auto& [key, target] = *candidate;
    if (target.queue.empty() || !target.has_room(now)) continue;
    const auto id = target.queue.take(users_);
    if (!id) continue;
    if (last_lane_ != key) last_lane_ = key;
    const auto waiting = waiting_.find(*id);
    const Waiting from = waiting->second;
    waiting_.erase(waiting);
    users_.count_waiting(from.asker, -1);
    users_.count_running(from.asker, 1);
    in_flight_.emplace(*id, InFlight{from, target.window.start(now),
                                     target.destination->limits.start(now, from.tokens)});
    return id;
  }
  return std::nullopt;
}

bool Dispatcher::remove(JobId id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  displace(id, found->second);
  users_.count_waiting(found->second.asker, -1);
  waiting_.erase(found);
  return true;
}

bool Dispatcher::is_paused(JobId id, MonotonicTime now) const {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() is about to begin");
  const Waiting& from = found->second.from;
  return now < from.lane->window.paused_until() || is_held(from);
}

void Dispatcher::put_back(JobId id) {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() can be put back");
  const Waiting from = found->second.from;
  in_flight_.erase(found);
  users_.count_running(from.asker, -1);
  users_.count_waiting(from.asker, 1);
  from.lane->window.take_back();
  from.lane->destination->limits.take_back(from.tokens);
  // Ids rise: it stands before all that came later.
  place(id, waiting_.emplace(id, from).first->second);
}

void Dispatcher::yield(JobId id, MonotonicTime now) {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() has a place");
  InFlight& job = found->second;
  Destination& from = *job.from.lane->destination;
  if (job.has_yielded || from.yielded >= from.limits.concurrency()) return;
  job.has_yielded = true;
  ++from.yielded;
  job.from.lane->window.finish(job.ticket, Feedback::kSuccess, {}, now);
  from.limits.finish(job.limits_ticket, Feedback::kNeutral, {}, now);
}

void Dispatcher::finish(JobId id, Feedback feedback, std::optional<Duration> retry_after,
                        MonotonicTime now) {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() can finish");
  const InFlight& job = found->second;
  Destination& from = *job.from.lane->destination;
  if (job.has_yielded) {
    --from.yielded;
  } else {
    job.from.lane->window.finish(job.ticket, feedback, retry_after, now);
    from.limits.finish(job.limits_ticket, Feedback::kNeutral, {}, now);
  }
  users_.count_running(job.from.asker, -1);
  in_flight_.erase(found);
}

Dispatcher::State Dispatcher::state_of(const Lane& lane, std::string name,
                                       MonotonicTime now) const {
  return {std::move(name),
          lane.window.in_flight(),
          lane.waiting(),
          lane.held,
          lane.window.window(),
          lane.window.concurrency(),
          std::max(Duration::zero(), lane.window.paused_until() - now)};
}

std::vector<Dispatcher::State> Dispatcher::states(MonotonicTime now) const {
  std::vector<State> result;
  for (const auto& [name, destination] : destinations_) {
    const std::size_t whole = result.size();
    const int concurrency = destination.limits.concurrency();
    result.push_back({name, 0, 0, 0, 0, concurrency, Duration::max()});
    for (auto at = lanes_.lower_bound({name, ""}); at != lanes_.end() && at->first.first == name;
         ++at) {
      const auto& [key, lane] = *at;
      const State state = state_of(lane, name + "/" + key.second, now);
      State& sum = result[whole];
      sum.in_flight += state.in_flight;
      sum.waiting += state.waiting;
      sum.held += state.held;
      sum.window = std::min(sum.window + state.window, concurrency);
      sum.pause = std::min(sum.pause, state.pause);
      if (destination.lanes > 1) result.push_back(state);
    }
  }
  return result;
}

Deadline Dispatcher::next_wake(MonotonicTime now) {
  Deadline earliest;
  for (auto& [key, target] : lanes_) {
    // Where each user who waits has as much as one may, an end must come first.
    if (target.queue.has_startable(users_)) earliest = std::min(earliest, target.next_room(now));
  }
  return earliest;
}

}  // namespace filecall::worker
