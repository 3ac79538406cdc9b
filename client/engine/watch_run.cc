// SPDX-License-Identifier: MIT
#include "client/engine/watch_run.h"

#include <utility>

#include "ipc/limits.h"
#include "ipc/request.h"

namespace filecall::client {
namespace {

constexpr Duration kOrphansEvery = seconds(1);
constexpr int kOrphansPage = 256;

}  // namespace

WatchRun::WatchRun(Driver& driver, RequestChannel& channel, StateStore& store,
                   OwnerLiveness is_alive, int window)
    : driver_(driver),
      channel_(channel),
      store_(store),
      is_alive_(std::move(is_alive)),
      window_(window),
      run_(driver.begin_run({})) {}

void WatchRun::end_when_idle(spool::NameList names) {
  first_ = std::move(names);
  ends_when_idle_ = true;
}

Intake::Standing WatchRun::standing() const {
  const bool is_idle = ends_when_idle_ && has_seen_orphans_ && next_first_ == first_.size() &&
                       seen_.empty() && driver_.counts(run_).in_flight == 0;
  return is_idle ? Standing::kDone : Standing::kGoesOn;
}

bool WatchRun::has_room() const { return driver_.counts(run_).has_room(window_); }

Deadline WatchRun::next_wake() const {
  const bool has_more = !seen_.empty() || next_first_ < first_.size();
  if (has_more && has_room()) return Deadline::at(now_);
  return Deadline::at(next_orphans_);
}

Result<void> WatchRun::advance(MonotonicTime now) {
  now_ = now;
  for (std::string& id : driver_.take_requests()) {
    if (known_.insert(hash64(id)).second) seen_.push_back(std::move(id));
  }
  if (now >= next_orphans_) {
    next_orphans_ = now + kOrphansEvery;
    TRY(take_orphans());
  }
  for (int taken = 0; taken < limits::kArrivalsPerTurn && next_first_ < first_.size() && has_room();
       ++taken) {
    const std::string id(first_[next_first_++]);
    if (known_.insert(hash64(id)).second) TRY(adopt(id));
  }
  for (int taken = 0; taken < limits::kArrivalsPerTurn && !seen_.empty() && has_room(); ++taken) {
    const std::string id = std::move(seen_.front());
    seen_.pop_front();
    TRY(adopt(id));
  }
  return {};
}

Result<void> WatchRun::take_orphans() {
  TRY_ASSIGN(const auto rows, store_.page({.state = std::nullopt,
                                           .batch = {},
                                           .only_open = true,
                                           .only_uncopied = false,
                                           .with_hidden = false},
                                          after_id_, kOrphansPage));
  const bool is_last = rows.size() < kOrphansPage;
  after_id_ = is_last ? std::string() : rows.back().request_id;
  for (const RequestRow& row : rows) {
    if (!has_room()) return {};
    if (driver_.is_in_flight(row.request_id)) continue;
    if (!row.owner.empty() && is_alive_(row.owner)) continue;
    // A batch's client died before it dropped this one: only the batch has its text.
    if (!channel_.has_request(row.request_id)) continue;
    known_.insert(hash64(row.request_id));
    TRY(adopt(row.request_id));
  }
  if (is_last) has_seen_orphans_ = true;
  return {};
}

Result<void> WatchRun::adopt(const std::string& id) {
  if (driver_.is_in_flight(id) || !channel_.is_own_request(id)) return {};
  TRY_ASSIGN(auto row, store_.find(id));
  // Dropped again after gc removed what was there of that id: another request.
  if (row && row->collected_at && channel_.has_request(id)) row.reset();
  Submission submission{.request_id = id, .run = run_};
  if (row) {
    const bool is_over = row->collected_at || row->progress.is_settled();
    // Another client's is not followed: when that client dies, it is among the orphans.
    const bool is_foreign = !row->owner.empty() && is_alive_(row->owner);
    if (is_over || is_foreign) return {};
    submission.command = row->command;
  } else {
    // The command is for people only; a file that is still being written has none yet.
    const auto text = channel_.read_request(id);
    if (!text || !*text) {
      known_.erase(hash64(id));
      return {};
    }
    auto parsed = parse_request(**text, id);
    if (parsed) submission.command = parsed->command;
  }
  driver_.submit(std::move(submission));
  return {};
}

}  // namespace filecall::client
