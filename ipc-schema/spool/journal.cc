// SPDX-License-Identifier: MIT
#include "spool/journal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/log.h"
#include "os/process.h"
#include "spool/journal_repair.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/scan.h"

namespace filecall::spool {
namespace {

int next_number_in(const Directories& directories) {
  int highest = 0;
  // Where the names cannot be read, creating tells that one is taken, and the next is tried.
  (void)read_directory(directories.worker_journal.get(), [&](const DirectoryEntry& entry) {
    if (const auto number = Layout::journal_number(entry.name)) {
      highest = std::max(highest, *number);
    }
  });
  return highest + 1;
}

}  // namespace

std::uint64_t medium_of(const Directories& directories) {
  const std::string boot = boot_id();
  if (boot.empty()) return kUnknownMedium;
  struct statx info {};
  constexpr unsigned kMask = STATX_BASIC_STATS | STATX_MNT_ID;
  (void)::statx(directories.responses.get(), "", AT_EMPTY_PATH, kMask, &info);
  return hash64(
      fmt::format("{} {}:{} {}", boot, info.stx_dev_major, info.stx_dev_minor, info.stx_mnt_id));
}

Journal::Journal(std::shared_ptr<const Directories> directories)
    : directories_(std::move(directories)),
      medium_(medium_of(*directories_)),
      next_number_(next_number_in(*directories_)) {}

void Journal::begin_group() {
  const std::lock_guard guard(group_);
  CHECK(!is_group_open_, "a group begins when the one before has ended");
  is_group_open_ = true;
}

void Journal::end_group() {
  {
    const std::lock_guard guard(group_);
    is_group_open_ = false;
  }
  group_ended_.notify_all();
}

std::unique_lock<std::mutex> Journal::between_groups() {
  std::unique_lock lock(group_);
  group_ended_.wait(lock, [this] { return !is_group_open_; });
  return lock;
}

Result<void> Journal::make_room() {
  {
    const auto lock = between_groups();
    if (current_ && !current_->is_full() && !current_->is_broken()) return {};
  }
  const std::lock_guard guard(checkpoint_);
  TRY(settle_retired());
  TRY_ASSIGN(Segment next, take_segment());
  const auto lock = between_groups();
  retired_ = std::exchange(current_, std::move(next));
  wants_checkpoint_ = retired_.has_value();
  return {};
}

Result<Segment> Journal::take_segment() {
  if (free_) {
    Segment out = std::move(*free_);
    free_.reset();
    return out;
  }
  return Segment::create(directories_->worker_journal.get(),
                         Layout::journal_segment_name(next_number_++), medium_);
}

Result<void> Journal::append(std::span<JournalRecord> records) {
  std::vector<std::string> notes;
  {
    const std::lock_guard guard(notes_mutex_);
    notes.swap(notes_);
  }
  CHECK(current_.has_value(), "a group begins with make_room()");
  buffer_.clear();
  const std::uint64_t lap = current_->header().lap;
  // First: a withdrawn request may be answered again in this very group.
  for (const std::string& stem : notes) {
    append_record(buffer_, lap, {RecordKind::kWithdrawn, ++sequence_, 0, stem, ""});
  }
  for (JournalRecord& record : records) {
    record.sequence = ++sequence_;
    append_record(buffer_, lap, record);
  }
  has_records_ = true;
  auto appended = current_->append(buffer_);
  if (!appended) {
    const std::lock_guard guard(notes_mutex_);
    notes_.insert(notes_.begin(), notes.begin(), notes.end());
  }
  return appended;
}

void Journal::note_withdrawn(std::string_view stem) {
  if (!has_records_) return;
  const std::lock_guard guard(notes_mutex_);
  notes_.emplace_back(stem);
}

Result<void> Journal::checkpoint() {
  const std::lock_guard guard(checkpoint_);
  if (!retired_) {
    const auto lock = between_groups();
    if (!current_ || current_->is_empty()) return {};
    retired_ = std::move(current_);
    current_.reset();
    current_.swap(free_);
  }
  return settle_retired();
}

Result<void> Journal::settle_retired() {
  if (!retired_) return {};
  auto settled = settle();
  wants_checkpoint_ = retired_.has_value();
  return settled;
}

Result<void> Journal::settle() {
  if (!is_suspect_) {
    const auto synced = sync_file_systems(*directories_);
    if (!synced) {
      is_suspect_ = true;
      log_error("{}; writing the responses again from the journal", synced.error().message);
    }
  }
  if (is_suspect_) {
    // No group meanwhile: an answer that is published now must not be replaced by an older one.
    const auto lock = between_groups();
    TRY(rewrite_published(*directories_, *retired_));
  }
  is_suspect_ = false;
  const bool is_reusable = !retired_->is_broken() && !free_ && retired_->restart().has_value();
  if (is_reusable) {
    free_ = std::move(retired_);
  } else {
    TRY(retired_->remove());
  }
  retired_.reset();
  const auto lock = between_groups();
  if (!current_ || current_->is_empty()) has_records_ = false;
  return {};
}

Result<void> Journal::rest() {
  // Twice: a segment may have been waiting already.
  TRY(checkpoint());
  TRY(checkpoint());
  const std::lock_guard guard(checkpoint_);
  const auto lock = between_groups();
  for (std::optional<Segment>* segment : {&current_, &free_}) {
    if (*segment) TRY((*segment)->remove());
    segment->reset();
  }
  return {};
}

}  // namespace filecall::spool
