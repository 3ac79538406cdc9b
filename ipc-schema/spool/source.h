// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ipc/effects.h"
#include "ipc/request.h"
#include "ipc/worker_status.h"
#include "os/unique_fd.h"
#include "spool/layout.h"
#include "spool/publish.h"

namespace filecall::spool {

/// One thing that must be answered.
struct Arrival {
  std::string stem;
  /// A request, or why the file is none (already past all patience: answer it).
  Result<Request, RequestFault> content;
  std::size_t bytes = 0;  ///< The file's size, an estimate of what keeping it costs.
  WallTime received_at{};
  MonotonicTime noticed_at{};
};

struct Directories;

/// One of a group of answers and start records that become durable together.
struct Posting {
  std::string stem;
  std::string bytes;                      ///< The response; of a start: its record's text.
  std::optional<StartRecordName> record;  ///< As for Source::publish and Source::record_start.
  bool is_start = false;
  /// What came of it; set by each of stage(), log() and publish_logged(). A posting that failed is
  /// passed over by the steps that follow.
  Result<Publication> result = Publication::kPublished;
  /// Where its bytes lie meanwhile. The source's own.
  struct Staged {
    std::shared_ptr<const Directories> at;
    std::string file;
    std::int64_t mtime_ns = 0;
  } staged = {};
};

struct SourceStats {
  std::int64_t waiting = 0;  ///< Names known but not handed out yet.
  std::int64_t ignored = 0;
  std::int64_t overflows = 0;
  std::int64_t rescans = 0;
  WatchMode watch = WatchMode::kInotify;
  std::string watch_reason;
};

/// Where requests come from and answers go, as a worker sees it: a root directory today, a work
/// queue between machines later.
///
/// Passive: it owns no thread and no timer. The owner polls poll_fd(), calls on_readable() when it
/// is readable and on_wake() when next_wake() is reached, and takes arrivals while it has room for
/// them. What next() handed out is *held*: it is not handed out again until release().
///
/// Threads: the first group on one thread (the loop's); the second group from any thread, blocking.
class Source {
 public:
  virtual ~Source() = default;

  virtual const std::string& name() const = 0;
  /// A descriptor to poll for reading; -1 when there is none (polling by timer alone).
  virtual int poll_fd() const = 0;
  virtual void on_readable(MonotonicTime now) = 0;
  virtual Deadline next_wake() const = 0;
  virtual void on_wake(MonotonicTime now) = 0;
  /// Next arrival, now held; nullopt: nothing is ready.
  virtual std::optional<Arrival> next(MonotonicTime now) = 0;
  /// Reads a held request once more (its body was dropped while it waited). not_found: withdrawn.
  virtual Result<Arrival> read_again(std::string_view stem, MonotonicTime now) = 0;
  /// Holds a request that was not handed out, because it is being answered unread (a cancel):
  /// next() must not hand it out meanwhile. False: it is held already, so somebody else answers it.
  virtual bool hold(std::string_view stem) = 0;
  /// Ends holding: it was answered, or is given back unanswered (and will be found again).
  virtual void release(std::string_view stem) = 0;
  /// A request without a response exists under that stem, held or not.
  virtual bool is_pending(std::string_view stem) const = 0;
  /// A response exists under that stem.
  virtual bool is_answered(std::string_view stem) const = 0;
  /// True when everything that was there when the last full reading began has been handed out
  /// and nothing is waiting to become ready: what `--drain` waits for.
  virtual bool is_drained() const = 0;
  /// Start records that an earlier run left: requests started and never answered.
  virtual std::vector<StartRecordName> interrupted() const = 0;
  virtual SourceStats stats() const = 0;
  /// Opens what a request's execution may append its events to, a line at a time.
  virtual Result<UniqueFd> open_events(std::string_view stem) = 0;

  /// Makes "started, attempt `record.starts`" durable before it happens (as durable as the source's
  /// durability says). Replaces the record of the previous start.
  virtual Result<void> record_start(const StartRecordName& record, std::string_view json) = 0;
  /// Removes a start record without an answer (a stop gave the request back).
  virtual Result<void> forget_start(const StartRecordName& record) = 0;
  /// Publishes an answer, write-once. `record`: its start record, consumed in the same step. Not
  /// yet durable as an entry: that is sync_published().
  virtual Result<Publication> publish(std::string_view stem, std::string_view bytes,
                                      const std::optional<StartRecordName>& record) = 0;
  /// Makes everything published before this call durable. A no-op unless durability is full.
  virtual Result<void> sync_published() = 0;
  /// Keeps an answer that lost against an earlier one (never overwrite, never lose).
  virtual Result<void> keep_late(std::string_view stem, std::string_view bytes) = 0;
  /// Whether publish() and record_start() may block on a disk: then they belong on a pool thread.
  virtual bool is_blocking() const = 0;

  /// Whether answers and starts are handed over in groups: then the three functions that follow
  /// stand for publish(), record_start() and sync_published(), in this order. A group is logged
  /// only when the one before is published.
  virtual bool is_grouped() const = 0;
  /// Writes the bytes where nobody looks yet. Does not wait for the disk.
  virtual void stage(Posting& posting) = 0;
  /// Makes the group durable as the source promises, with as few syncs as possible: now starts may
  /// happen. Blocks.
  virtual void log(std::span<Posting> postings) = 0;
  /// Makes the group's answers visible. Does not wait for the disk.
  virtual void publish_logged(std::span<Posting> postings) = 0;
  /// What log() keeps beside the answers has grown, or is there at all.
  virtual bool wants_checkpoint() const = 0;
  virtual bool has_journal() const = 0;
  /// Makes the answers durable by themselves, so that nothing need be kept beside them.
  virtual Result<void> checkpoint() = 0;
  /// The same, and leaves nothing behind. After the last group.
  virtual Result<void> rest() = 0;
};

}  // namespace filecall::spool
