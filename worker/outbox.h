// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/loop_timer.h"
#include "spool/source.h"

namespace filecall::worker {

/// Carries answers and start records to disk without making the loop wait: blocking sources are
/// written on libuv's thread pool, many at once, and one directory sync makes all that were renamed
/// before it durable (group commit). A grouped source is handed everything that gathered until
/// flush(), or as soon as that is many, one group at a time; the loop stages and publishes it, the
/// pool only logs it. Sources that do not block are written at once.
///
/// An answer that cannot be published (full disk, failed sync) stays in memory and is tried again
/// with a fresh file until it succeeds; problem() says why meanwhile. Loop thread only. Sources
/// must outlive the outbox; destroying it with work in flight is a programmer error (is_idle()).
class Outbox {
 public:
  explicit Outbox(uv_loop_t* loop);
  ~Outbox();

  /// Publishes an answer. `done` is called once it is as durable as the source promises, perhaps
  /// before this returns, with false when there was an answer already. The answer that lost is then
  /// kept aside, unless it `may_repeat`.
  void answer(spool::Source& source, std::string stem, std::string bytes,
              std::optional<spool::StartRecordName> record, bool may_repeat,
              std::function<void(bool is_first)> done);
  /// Records a start; `done` tells whether it is durable. Perhaps before this returns.
  void record_start(spool::Source& source, const spool::StartRecordName& record, std::string json,
                    std::function<void(Result<void>)> done);

  /// Begins the groups of grouped sources. To be called at the end of each turn, when everything
  /// that the turn has to say was handed over: one sync is then enough for all of it.
  void flush();

  /// Nothing is in flight or waiting.
  bool is_idle() const { return pending_ == 0; }
  /// Answers and records not yet done.
  std::size_t pending() const { return pending_; }
  /// Those of `pending()` that wait for a disk which refused them.
  std::size_t stuck() const { return stuck_count_; }
  /// Why answers of that source cannot be published now; empty when they can.
  std::string_view problem(const spool::Source& source) const;
  /// Gives up answers that wait for a disk (a second stop signal). Their requests stay pending.
  void abandon_stuck();

 private:
  struct Letter {
    spool::Source* source;
    spool::Posting posting;
    std::function<void(bool)> done;  ///< Of an answer.
    bool may_repeat = false;
    std::function<void(Result<void>)> recorded = nullptr;  ///< Of a start of a grouped source.
    bool is_stuck = false;
  };
  /// What is known of one source's disk.
  struct Group {
    /// Renamed, waiting for the directory sync.
    std::vector<std::unique_ptr<Letter>> renamed;
    bool is_syncing = false;
    /// Of a grouped source: waiting for the group that is being committed.
    std::vector<std::unique_ptr<Letter>> gathered;
    bool is_committing = false;
    bool is_checkpointing = false;
    std::size_t stuck = 0;  ///< Letters that failed and are in `stuck_` or being sent again.
    std::string problem;
  };

  void send(std::unique_ptr<Letter> letter);
  void on_published(std::unique_ptr<Letter> letter, const Result<spool::Publication>& result);
  void sync(spool::Source* source);
  void commit(spool::Source* source);
  void on_committed(spool::Source* source, std::vector<std::unique_ptr<Letter>> letters,
                    std::vector<spool::Posting> postings);
  void checkpoint(spool::Source* source);
  void checkpoint_idle();
  void finish(const Letter& letter, bool is_first = true);
  void retry_stuck();
  /// Runs `work` on the pool and then `after` on the loop.
  void offload(std::function<void()> work, std::function<void()> after);

  uv_loop_t* loop_;
  std::map<spool::Source*, Group, std::less<>> groups_;
  std::deque<std::unique_ptr<Letter>> stuck_;
  LoopTimer retry_timer_;
  LoopTimer checkpoint_timer_;
  std::size_t pending_ = 0;
  std::size_t stuck_count_ = 0;
};

}  // namespace filecall::worker
