// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"
#include "spool/publish.h"

namespace filecall::spool {

struct Directories;

/// One of a group of answers and start records that become durable together.
struct PendingWrite {
  std::string stem;
  std::string bytes;                      ///< The response; of a start: its record's text.
  std::optional<StartRecordName> record;  ///< As for Medium::publish and Medium::record_start.
  bool is_start = false;
  /// The outcome; set by each of stage(), log() and publish_logged(). A write that failed is
  /// passed over by the steps that follow.
  Result<Publication> result = Publication::kPublished;
  /// Where its bytes lie meanwhile. The medium's own.
  struct Staged {
    std::shared_ptr<const Directories> at;
    std::string file;
    std::int64_t mtime_ns = 0;
  } staged = {};
};

/// What a directory's writer writes on: a root's files (RootMedium), or values in memory. Its
/// operations are plain and block; who calls them on which thread, in which order and how often is
/// the writer's.
///
/// Threads: any, unless a function says otherwise.
class Medium {
 public:
  virtual ~Medium() = default;

  /// Whether publish() and record_start() may wait for a disk: then they belong on a pool thread.
  virtual bool is_blocking() const = 0;
  /// Makes "started, attempt `record.starts`" durable before it happens (as durable as the medium
  /// promises). Replaces the record of the previous start.
  virtual Result<void> record_start(const StartRecordName& record, std::string_view json) = 0;
  /// Removes a start record without an answer. One that is not there is fine.
  virtual Result<void> forget_start(const StartRecordName& record) = 0;
  /// Publishes an answer, write-once. `record`: its start record, consumed in the same step. Not
  /// yet durable as an entry: that is sync_published().
  virtual Result<Publication> publish(std::string_view stem, std::string_view bytes,
                                      const std::optional<StartRecordName>& record) = 0;
  /// Makes everything published before this call durable. A no-op unless durability is full.
  virtual Result<void> sync_published() = 0;
  /// Keeps an answer that lost against an earlier one (never overwrite, never lose).
  virtual Result<void> keep_late(std::string_view stem, std::string_view bytes) = 0;

  /// Whether answers and starts are handed over in groups: then the three functions that follow
  /// stand for publish(), record_start() and sync_published(), in this order. A group is logged
  /// only when the one before is published.
  virtual bool is_grouped() const = 0;
  /// Writes the bytes where nobody looks yet. Does not wait for the disk.
  virtual void stage(PendingWrite& write) = 0;
  /// Makes the group durable as the medium promises, with as few syncs as possible: now starts may
  /// happen. Blocks.
  virtual void log(std::span<PendingWrite> writes) = 0;
  /// Makes the group's answers visible. Does not wait for the disk.
  virtual void publish_logged(std::span<PendingWrite> writes) = 0;
  /// What log() keeps beside the answers has grown, or is there at all.
  virtual bool wants_checkpoint() const = 0;
  virtual bool has_journal() const = 0;
  /// Makes the answers durable by themselves, so that nothing need be kept beside them.
  virtual Result<void> checkpoint() = 0;
  /// The same, and leaves nothing behind. After the last group.
  virtual Result<void> rest() = 0;
};

}  // namespace filecall::spool
