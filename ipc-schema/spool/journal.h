// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spool/journal_record.h"
#include "spool/journal_segment.h"
#include "spool/root.h"

namespace filecall::spool {

/// The write-ahead log of durability "journal": segments in worker/journal/, of which one is
/// written. When it is full it is retired and another one is taken; a checkpoint makes what was
/// published from a retired segment durable, and then the segment is used again.
///
/// A group is: make_room(), begin_group(), append(), publish, end_group(), one after another, not
/// necessarily on one thread; checkpoint(), rest() and note_withdrawn() may be called by others
/// meanwhile. All block but begin_group(), end_group() and note_withdrawn(). Files are created when
/// the first group comes.
class Journal {
 public:
  explicit Journal(std::shared_ptr<const Directories> directories);

  const std::shared_ptr<const Directories>& directories() const { return directories_; }

  /// Makes a segment ready that is neither full nor broken; waits for a checkpoint if it must.
  Result<void> make_room();
  /// Until it ends nothing is retired: what is appended must be published, or have failed, before.
  void begin_group();
  /// No group is open: nothing happens.
  void end_group();
  /// Appends the records (whose sequence numbers it gives) and syncs them. On failure none counts.
  Result<void> append(std::span<JournalRecord> records);

  /// The stem's response was deleted, or its start forgotten: what the log says of it is void. Goes
  /// to the disk with the next group, or becomes void with the next checkpoint.
  void note_withdrawn(std::string_view stem);

  /// A segment was retired and waits.
  bool wants_checkpoint() const { return wants_checkpoint_; }
  bool has_records() const { return has_records_; }
  /// Makes everything that was published durable and empties the log, but for what is appended
  /// meanwhile. On failure the records stay.
  Result<void> checkpoint();
  /// A checkpoint, and removes the files.
  Result<void> rest();

 private:
  Result<Segment> take_segment();
  Result<void> settle_retired();
  Result<void> settle();
  /// Waits for the end of the group; no other begins while the lock is held.
  std::unique_lock<std::mutex> between_groups();

  const std::shared_ptr<const Directories> directories_;
  const std::uint64_t medium_;

  /// Order: checkpoint_ before group_.
  std::mutex checkpoint_;  ///< Guards retired_, free_, is_suspect_, next_number_.
  std::mutex group_;       ///< Guards is_group_open_.
  std::condition_variable group_ended_;
  bool is_group_open_ = false;
  /// Belongs to the open group, else to the holder of `group_`.
  std::optional<Segment> current_;
  std::optional<Segment> retired_;
  std::optional<Segment> free_;
  bool is_suspect_ = false;  ///< A checkpoint's sync failed.
  int next_number_;

  std::uint64_t sequence_ = 0;
  std::string buffer_;
  std::atomic<bool> wants_checkpoint_ = false;
  std::atomic<bool> has_records_ = false;

  std::mutex notes_mutex_;
  std::vector<std::string> notes_;
};

/// Stands for this boot and this mount: while it is the same, the kernel still holds what was
/// written and not synced. kUnknownMedium is never the same.
inline constexpr std::uint64_t kUnknownMedium = 0;
std::uint64_t medium_of(const Directories& directories);

}  // namespace filecall::spool
