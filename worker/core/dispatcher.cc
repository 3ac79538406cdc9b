// SPDX-License-Identifier: MIT
#include "worker/core/dispatcher.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace filecall::worker {

Dispatcher::Dispatcher(std::map<std::string, DestinationLimits, std::less<>> limits, MonotonicTime)
    : limits_(std::move(limits)) {}

Dispatcher::Destination& Dispatcher::destination(std::string_view name, MonotonicTime now) {
  if (const auto found = destinations_.find(name); found != destinations_.end()) {
    return found->second;
  }
  auto limits = limits_.find(name);
  if (limits == limits_.end()) limits = limits_.find("");
  const DestinationLimits chosen = limits == limits_.end() ? DestinationLimits{} : limits->second;
  return destinations_
      .emplace(std::string(name), Destination{DestinationWindow(chosen, now), {}, -1, 0})
      .first->second;
}

void Dispatcher::enqueue(JobId id, int root, std::string_view destination_name, int priority,
                         MonotonicTime now, double tokens) {
  Destination& target = destination(destination_name, now);
  const bool is_new = waiting_.emplace(id, Waiting{&target, root, priority, tokens}).second;
  CHECK(is_new && !in_flight_.contains(id), "a job waits once");
  target.by_root[root].insert({priority, id});
}

JobId Dispatcher::take_fairly(Destination& from) {
  auto root = from.by_root.upper_bound(from.last_root);
  if (root == from.by_root.end()) root = from.by_root.begin();
  from.last_root = root->first;
  const JobId id = root->second.begin()->id;
  root->second.erase(root->second.begin());
  if (root->second.empty()) from.by_root.erase(root);
  return id;
}

std::optional<JobId> Dispatcher::next(MonotonicTime now) {
  if (waiting_.empty()) return std::nullopt;
  auto candidate = destinations_.upper_bound(last_destination_);
  for (std::size_t tried = 0; tried < destinations_.size(); ++tried, ++candidate) {
    if (candidate == destinations_.end()) candidate = destinations_.begin();
    auto& [name, target] = *candidate;
    if (target.by_root.empty() || !target.window.has_room(now)) continue;
    last_destination_ = name;
    const JobId id = take_fairly(target);
    const auto waiting = waiting_.find(id);
    const Waiting from = waiting->second;
    waiting_.erase(waiting);
    in_flight_.emplace(id, InFlight{from, target.window.start(now, from.tokens)});
    return id;
  }
  return std::nullopt;
}

bool Dispatcher::remove(JobId id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return false;
  const auto [target, root, priority, tokens] = found->second;
  auto& ranks = target->by_root[root];
  ranks.erase({priority, id});
  if (ranks.empty()) target->by_root.erase(root);
  waiting_.erase(found);
  return true;
}

bool Dispatcher::is_paused(JobId id, MonotonicTime now) const {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() is about to begin");
  return now < found->second.from.destination->window.paused_until();
}

void Dispatcher::put_back(JobId id) {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() can be put back");
  const Waiting from = found->second.from;
  in_flight_.erase(found);
  from.destination->window.take_back(from.tokens);
  // Ids rise: it stands before all that came later.
  from.destination->by_root[from.root].insert({from.priority, id});
  waiting_.emplace(id, from);
}

void Dispatcher::yield(JobId id, MonotonicTime now) {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() has a place");
  InFlight& job = found->second;
  Destination& from = *job.from.destination;
  if (job.has_yielded || from.yielded >= from.window.concurrency()) return;
  job.has_yielded = true;
  ++from.yielded;
  from.window.finish(job.ticket, Feedback::kSuccess, {}, now);
}

void Dispatcher::finish(JobId id, Feedback feedback, std::optional<Duration> retry_after,
                        MonotonicTime now) {
  const auto found = in_flight_.find(id);
  CHECK(found != in_flight_.end(), "only a job handed out by next() can finish");
  Destination& from = *found->second.from.destination;
  if (found->second.has_yielded) {
    --from.yielded;
  } else {
    from.window.finish(found->second.ticket, feedback, retry_after, now);
  }
  in_flight_.erase(found);
}

std::vector<Dispatcher::State> Dispatcher::states(MonotonicTime now) const {
  std::vector<State> result;
  for (const auto& [name, target] : destinations_) {
    State state{name,
                target.window.in_flight(),
                0,
                target.window.window(),
                target.window.concurrency(),
                std::max(Duration::zero(), target.window.paused_until() - now)};
    for (const auto& [root, ranks] : target.by_root) state.waiting += ranks.size();
    result.push_back(std::move(state));
  }
  return result;
}

Deadline Dispatcher::next_wake(MonotonicTime now) {
  Deadline earliest;
  for (auto& [name, target] : destinations_) {
    if (!target.by_root.empty()) earliest = std::min(earliest, target.window.next_room(now));
  }
  return earliest;
}

}  // namespace filecall::worker
