// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "spool/layout.h"
#include "spool/medium.h"
#include "worker/engine/pool.h"

namespace filecall::worker {

/// Carries answers and start records to a medium without making the loop wait: a blocking medium is
/// written on the pool, many at once, and one directory sync makes all that were renamed before it
/// durable (group commit). A grouped medium is handed everything that gathered until flush(), or as
/// soon as that is many, one group at a time; the loop stages and publishes it, the pool only logs
/// it. A medium that does not block is written at once.
///
/// An answer that cannot be published (full disk, failed sync) stays in memory and is tried again
/// with a fresh file once a second until it succeeds; problem() says why meanwhile. A medium's
/// journal is brought to rest some seconds after the last group. Loop thread only, passive: the
/// owner calls on_wake() when next_wake() is reached. Destroying it with work in flight is a
/// programmer error (is_idle()).
class DirectoryWriter {
 public:
  /// `name` stands in messages. The others must outlive it.
  DirectoryWriter(std::string name, spool::Medium& medium, Pool& pool, const Clock& clock);
  ~DirectoryWriter();
  DirectoryWriter(const DirectoryWriter&) = delete;
  DirectoryWriter& operator=(const DirectoryWriter&) = delete;

  /// Publishes an answer. `done` is called once it is as durable as the medium promises, perhaps
  /// before this returns, with false when there was an answer already. The answer that lost is then
  /// kept aside, unless it `may_repeat`.
  using Answered = std::function<void(std::string_view stem, bool is_first)>;
  void answer(std::string stem, std::string bytes, std::optional<spool::StartRecordName> record,
              bool may_repeat, Answered done);
  /// Records a start; `done` says whether it is durable. Perhaps before this returns.
  using Recorded = std::function<void(Result<void>)>;
  void record_start(spool::StartRecordName record, std::string json, Recorded done);

  /// Begins the group of a grouped medium. To be called at the end of each turn, when everything
  /// that the turn has to say was handed over: one sync is then enough for all of it.
  void flush() { commit(); }
  Deadline next_wake() const { return std::min(retry_at_, checkpoint_at_); }
  void on_wake(MonotonicTime now);

  /// Nothing is in flight or waiting.
  bool is_idle() const { return pending_ == 0; }
  /// All that is not done are answers that the disk does not take.
  bool is_stuck() const { return pending_ > 0 && pending_ == stuck_.size(); }
  /// Why answers cannot be published now; empty when they can.
  std::string_view problem() const { return problem_; }
  /// Gives up answers that wait for a disk (the worker ends). Their requests stay pending.
  void abandon_stuck();

 private:
  /// An answer, or a start of a grouped medium, that is not done.
  struct Entry {
    spool::PendingWrite write;
    Answered answered;  ///< Of an answer.
    Recorded recorded;  ///< Of a start.
    bool may_repeat = false;
    bool is_stuck = false;
  };
  using Entries = std::vector<std::unique_ptr<Entry>>;

  void send(std::unique_ptr<Entry> entry);
  void on_published(std::unique_ptr<Entry> entry, const Result<spool::Publication>& result);
  void keep(std::unique_ptr<Entry> entry, const Error& why);
  void sync();
  void commit();
  void on_committed(Entries entries, std::vector<spool::PendingWrite> writes);
  void checkpoint();
  void finish(const Entry& entry, bool is_first);
  /// What lost is kept aside, or dropped.
  void lose(const spool::PendingWrite& write, bool may_repeat);

  std::string name_;
  spool::Medium& medium_;
  Pool& pool_;
  const Clock& clock_;
  Entries renamed_;  ///< Waiting for the directory sync.
  bool is_syncing_ = false;
  Entries gathered_;  ///< Of a grouped medium: waiting for the group that is being committed.
  bool is_committing_ = false;
  bool is_checkpointing_ = false;
  Entries stuck_;
  std::size_t stuck_count_ = 0;  ///< Entries that failed and are in `stuck_` or being sent again.
  std::string problem_;
  std::size_t pending_ = 0;
  Deadline retry_at_;
  Deadline checkpoint_at_;
};

}  // namespace filecall::worker
