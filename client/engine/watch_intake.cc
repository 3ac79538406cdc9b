// SPDX-License-Identifier: MIT
#include "client/engine/watch_intake.h"

#include "base/result.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "spool/drop.h"

namespace filecall::client {
namespace {

constexpr Duration kOrphansEvery = seconds(1);
constexpr int kOrphansPage = 256;

}  // namespace

Deadline WatchIntake::next_wake() const {
  if (!seen_.empty() && had_room_) return Deadline::at(now_);
  return Deadline::at(next_orphans_);
}

void WatchIntake::on_request(std::string_view stem) {
  if (known_.insert(hash64(stem)).second) seen_.emplace_back(stem);
}

Result<void> WatchIntake::take(Session& session, MonotonicTime now) {
  now_ = now;
  if (now >= next_orphans_) {
    next_orphans_ = now + kOrphansEvery;
    TRY(take_orphans(session));
  }
  for (int taken = 0; taken < limits::kArrivalsPerTurn && !seen_.empty(); ++taken) {
    had_room_ = session.has_room();
    if (!had_room_) return {};
    const std::string stem = std::move(seen_.front());
    seen_.pop_front();
    TRY(adopt(session, stem));
  }
  had_room_ = session.has_room();
  return {};
}

Result<void> WatchIntake::take_orphans(Session& session) {
  TRY_ASSIGN(const auto rows, session.store().page({.state = std::nullopt,
                                                    .batch = {},
                                                    .only_open = true,
                                                    .only_uncopied = false,
                                                    .with_hidden = false},
                                                   after_id_, kOrphansPage));
  after_id_ = rows.size() < kOrphansPage ? std::string() : rows.back().request_id;
  for (const RequestRow& row : rows) {
    if (!session.has_room()) return {};
    if (session.is_in_flight(row.request_id)) continue;
    if (!row.owner.empty() && session.owner().is_alive(row.owner)) continue;
    // A batch's client died before it dropped this one: only the batch has its text.
    if (!spool::has_request(*session.root().directories(), row.request_id)) continue;
    known_.insert(hash64(row.request_id));
    TRY(adopt(session, row.request_id));
  }
  return {};
}

Result<void> WatchIntake::adopt(Session& session, const std::string& stem) {
  if (session.is_in_flight(stem)) return {};
  TRY_ASSIGN(const auto row, session.store().find(stem));
  Submission submission{stem, {}, {}};
  if (row) {
    const bool is_over = row->collected_at ||
                         (is_final(row->progress.state) &&
                          (row->progress.copied || row->progress.state == RequestState::kSuccess));
    // Another client's is not followed: when that client dies, it is among the orphans.
    const bool is_foreign = !row->owner.empty() && session.owner().is_alive(row->owner);
    if (is_over || is_foreign) return {};
    submission.command = row->command;
  } else {
    // The command is for people only; a file that is still being written has none yet.
    auto file = spool::read_request_file(*session.root().directories(), stem);
    if (!file || !*file) {
      known_.erase(hash64(stem));
      return {};
    }
    auto parsed = parse_request((*file)->bytes, stem);
    if (parsed) submission.command = parsed->command;
  }
  return session.adopt(std::move(submission));
}

}  // namespace filecall::client
