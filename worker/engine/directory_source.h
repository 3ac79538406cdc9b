// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/result.h"
#include "ipc/durability.h"
#include "ipc/worker_launch.h"
#include "ipc/worker_status.h"
#include "spool/lock.h"
#include "spool/pauses.h"
#include "spool/publish.h"
#include "spool/root.h"
#include "spool/root_medium.h"
#include "spool/root_reader.h"
#include "worker/core/dispatcher.h"
#include "worker/engine/directory_writer.h"
#include "worker/engine/group_members.h"
#include "worker/engine/left_changes.h"
#include "worker/engine/pool.h"
#include "worker/engine/root_files.h"
#include "worker/engine/source.h"

namespace filecall::worker {

struct DirectorySourceOptions {
  spool::RootReaderOptions reader;
  Durability durability = Durability::kFull;
  bool allow_shared_root = false;
  /// Serve a group's root (spool/group_root.h).
  std::optional<gid_t> group = std::nullopt;
};

/// A root directory as a Source, with everything that the protocol keeps in worker/: the lock, the
/// status file, start records, the journal, late answers. A spool::RootReader finds its requests, a
/// DirectoryWriter answers them. Nothing of it lapses: extend() does nothing.
class DirectorySource final : public Source, public RootFiles {
 public:
  /// Opens a root, takes its worker lock and brings into order what an earlier run left. Pool and
  /// clock must outlive it.
  /// Failures: those of spool::Root::open; unavailable: another worker serves this root.
  static Result<std::unique_ptr<DirectorySource>> open(const std::string& path,
                                                       const DirectorySourceOptions& options,
                                                       Pool& pool, const Clock& clock);

  /// Whether the lock still protects this root: false once worker/ was removed or replaced, when
  /// another worker may hold a lock of the same name.
  bool owns_root() const { return lock_.is_still_at(root_.layout().worker_lock()); }
  /// Replaces `worker/status.json`, after filling in what this source knows: how it watches, what
  /// it counts, its problem. Adds its waiting requests to `counts.pending`. Never synced: after a
  /// power cut it is stale anyway.
  Result<void> write_status(WorkerStatus status) const;

  /// Replaces `worker/launch.json`. Its content is synced: a torn one would keep everybody from
  /// starting a worker.
  Result<void> write_launch(const WorkerLaunch& launch) const;

  /// What people have paused here, when that is something else than at the last call.
  std::optional<Pauses> take_pauses(WallTime now);
  /// The files that say so, as the status names them.
  const spool::HeldNames& paused() const { return paused_; }

  bool is_shared() const override { return members_.has_value(); }
  std::uint32_t ruler() const override;
  std::optional<std::uint32_t> owner_of(std::string_view stem) const override;
  DiscardResult discard(std::string_view stem, const ResponseFile& response) override;

  int poll_fd() const override { return reader_.poll_fd(); }
  void on_readable(MonotonicTime) override { reader_.on_readable(); }
  Deadline next_wake() const override { return std::min(reader_.next_wake(), writer_.next_wake()); }
  void on_wake(MonotonicTime now) override;

  std::optional<Arrival> next(MonotonicTime now) override;
  bool is_pending(std::string_view stem) const override { return reader_.is_pending(stem); }
  Result<Arrival> read_again(std::string_view stem, MonotonicTime now) override;
  void extend(std::string_view, MonotonicTime) override {}
  void settle(std::string_view stem, Settlement how) override {
    reader_.release(stem, how == Settlement::kAnswered);
  }

  void record_start(const Start& start, std::function<void(Result<void>)> done) override;
  void withdraw_start(std::string_view stem, const StartRecord& record) override;
  void answer(Answer answer, Answered done) override;
  std::unique_ptr<EventSink> events(std::string_view stem) override;
  void cancel(std::string_view stem, Cancelled done) override;

  void flush() override { writer_.flush(); }
  SourceState state() const override;
  void close() override;

 private:
  DirectorySource(spool::Root root, spool::FileLock lock, const DirectorySourceOptions& options,
                  Pool& pool, const Clock& clock);
  Result<void> recover();
  void note_deleted(std::string_view stem);
  Arrival to_arrival(spool::Arrival&& found);
  /// What clients look at to see that a worker lives, where they may not look at the lock. A member
  /// who holds it only says the same.
  void show_life() const;
  /// Removes the record of its changes before an answered request is settled.
  Answered after_forgetting(Answered done);

  spool::Root root_;
  spool::FileLock lock_;
  mutable std::optional<spool::FileLock> life_;
  mutable int life_failures_ = 0;        ///< In a row.
  std::optional<GroupMembers> members_;  ///< Of a group's root.
  spool::RootMedium medium_;
  spool::RootReader reader_;
  DirectoryWriter writer_;
  LeftChanges changes_;
  Pool& pool_;
  int forgetting_ = 0;  ///< Records of changes that are on their way out.
  spool::PauseLook pauses_;
  spool::HeldNames paused_;
  std::optional<StartRecord> take_earlier_start(std::string_view stem);

  /// Requests that an earlier run started and never answered, not handed out yet.
  std::unordered_map<std::string, StartRecord, StringHash, std::equal_to<>> earlier_starts_;
};

}  // namespace filecall::worker
