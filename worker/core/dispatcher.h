// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "worker/core/destination_window.h"
#include "worker/core/fair_queue.h"
#include "worker/core/user_limits.h"

namespace filecall::worker {

/// Where a job goes.
struct Route {
  std::string_view destination;  ///< What is configured counts for all of it.
  /// A part of it that limits its callers by itself (a provider's model): what it refuses delays
  /// nothing of the other lanes.
  std::string_view lane{};
  /// May be paused by its name; outlives the job.
  std::string_view command{};
};

/// What people have paused of one root's requests.
struct Pauses {
  bool everything = false;
  /// DESTINATION, DESTINATION/LANE or a command's name. "llm." may be left out.
  std::set<std::string, std::less<>> names{};

  bool hold(const Route& route) const;
};

/// Decides which waiting job starts next. Fair between lanes, between roots and between the users
/// of a root (round robin), larger priority first within a user, then the order of arrival. Pure:
/// it knows ids, not requests; the owner of the jobs performs what it decides.
class Dispatcher {
 public:
  /// `limits` by destination name; others get the entry "" or the built-in default.
  /// `users`: what one user may have of a root.
  Dispatcher(std::map<std::string, DestinationLimits, std::less<>> limits, MonotonicTime now,
             UserLimits users = {});

  /// Whether one more job of the user may wait. enqueue() does not ask.
  bool may_wait(const Asker& asker) const { return users_.may_wait(asker); }
  const UserLimits& user_limits() const { return users_.limits(); }
  /// A job waits. Enqueuing an id twice is a programmer error.
  /// `tokens`: what its start will cost of the destination's tokens.
  void enqueue(JobId id, const Asker& asker, Route route, int priority, MonotonicTime now,
               double tokens = 0);
  /// From now on these jobs of the root wait aside: nothing of them starts, and they delay nothing
  /// else. Those that waited aside and are no longer named take their places again.
  void pause(int root, Pauses pauses);
  /// How many wait aside.
  std::size_t held() const { return held_; }
  /// Takes the next job that may start now out of the queue and counts it in flight; nullopt:
  /// nothing may.
  std::optional<JobId> next(MonotonicTime now);
  /// Takes a waiting job out of the queue. False: it was not waiting.
  bool remove(JobId id);
  /// Whether a job handed out by next() must not begin after all: its destination, or a person,
  /// asked for a pause meanwhile.
  bool is_paused(JobId id, MonotonicTime now) const;
  /// Such a job waits again, where it stood.
  void put_back(JobId id);
  /// A job in flight needs its destination no more, which coped: from now on another may have its
  /// place, while it goes on until its finish. As many may have done so as the destination's
  /// concurrency; beyond that a job keeps its place, so that what waits for this side stays
  /// bounded.
  void yield(JobId id, MonotonicTime now);
  /// A job handed out by next() ended (or never ran). Of one that gave up its place, `feedback` was
  /// heard then.
  void finish(JobId id, Feedback feedback, std::optional<Duration> retry_after, MonotonicTime now);

  /// When time alone will let next() return something; never when a finish must come first.
  Deadline next_wake(MonotonicTime now);
  struct State {
    std::string name;
    int in_flight = 0;
    std::size_t waiting = 0;  ///< Those that are held, too.
    std::size_t held = 0;     ///< Paused by people.
    int window = 0;
    int concurrency = 0;
    Duration pause{};  ///< Until something may start again.
  };
  /// The destinations that were used so far, by name; where several lanes are in use, each of them
  /// comes after its destination, as "DESTINATION/LANE".
  std::vector<State> states(MonotonicTime now) const;
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t in_flight() const { return in_flight_.size(); }

 private:
  /// What is configured. It learns nothing.
  struct Destination {
    DestinationWindow limits;
    int lanes = 0;
    int yielded = 0;  ///< Jobs that gave up their places and have not finished.
  };
  /// What is learned, and who waits.
  struct Lane {
    Destination* destination;
    DestinationWindow window;
    FairQueue queue{};
    std::string_view lane{};  ///< Its name in the map of lanes.
    std::string_view name{};  ///< The destination's.
    std::size_t held = 0;     ///< Beside those in `queue`.

    bool has_room(MonotonicTime now) {
      return window.has_room(now) && destination->limits.has_room(now);
    }
    Deadline next_room(MonotonicTime now);
    std::size_t waiting() const { return held + queue.size(); }
  };
  /// Destination and lane.
  using Key = std::pair<std::string, std::string>;
  struct Waiting {
    Lane* lane;
    Asker asker;
    int priority;
    double tokens;
    std::string_view command;
    bool is_held = false;
  };
  struct InFlight {
    Waiting from;  ///< What it was before.
    std::uint64_t ticket;
    std::uint64_t limits_ticket;
    bool has_yielded = false;
  };

  DestinationLimits limits_of(std::string_view name) const;
  Lane& lane(Route route, MonotonicTime now);
  bool is_held(const Waiting& job) const;
  /// Puts a job that waits where it belongs now: into its lane, or aside.
  void place(JobId id, Waiting& job);
  void displace(JobId id, const Waiting& job);
  State state_of(const Lane& lane, std::string name, MonotonicTime now) const;

  std::map<std::string, DestinationLimits, std::less<>> limits_;
  UserUse users_;
  std::map<std::string, Destination, std::less<>> destinations_;
  std::map<Key, Lane> lanes_;
  Key last_lane_;
  std::map<int, Pauses> pauses_;  ///< By root; none that pauses nothing.
  std::size_t held_ = 0;
  std::unordered_map<JobId, Waiting> waiting_;
  std::unordered_map<JobId, InFlight> in_flight_;
};

}  // namespace filecall::worker
