// SPDX-License-Identifier: MIT
#include "spool/journaled_answers.h"

#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/start_records.h"

namespace filecall::spool {

namespace {

bool is_staged_in_record(const PendingWrite& write) {
  return write.record && write.staged.at->staging_is_shared;
}

int directory_of(const PendingWrite& write) {
  const Directories& at = *write.staged.at;
  return is_staged_in_record(write) ? at.worker_started.get() : staging_of(at);
}

void unstage(const PendingWrite& write) {
  // A record stays: it says that there was a start.
  if (write.is_start || is_staged_in_record(write)) return;
  ::unlinkat(directory_of(write), write.staged.file.c_str(), 0);
}

void drop(PendingWrite& write, const Error& error) {
  unstage(write);
  write.result = Unexpected(error);
}

}  // namespace

std::shared_ptr<Journal> JournaledAnswers::journal() const {
  const std::lock_guard guard(mutex_);
  return journal_;
}

Result<std::shared_ptr<Journal>> JournaledAnswers::journal_of(
    const std::shared_ptr<const Directories>& at) {
  auto now = journal();
  if (now && now->directories() == at) return now;
  // The root was replaced: what was published in the old one is brought to rest there.
  if (now) TRY(now->rest());
  now = std::make_shared<Journal>(at);
  const std::lock_guard guard(mutex_);
  journal_ = now;
  return now;
}

void JournaledAnswers::stage(PendingWrite& write) {
  write.result = Publication::kPublished;
  write.staged = {root_.directories(), "", 0};
  if (write.is_start) {
    write.staged.file = write.record->format();
    const auto written =
        write_start_record(*write.staged.at, *write.record, write.bytes, Durability::kNone);
    if (!written) write.result = Unexpected(written.error());
    return;
  }
  write.staged.file = is_staged_in_record(write) ? write.record->format() : next_temporary_name();
  const auto written = write_file_at(directory_of(write), write.staged.file, write.bytes, {},
                                     Durability::kNone, write.staged.at->file_mode);
  if (!written) return drop(write, written.error());
  write.staged.mtime_ns = *written;
}

void JournaledAnswers::log(std::span<PendingWrite> writes) {
  const auto at = root_.directories();
  const auto drop_all = [&](const Error& error) {
    for (PendingWrite& write : writes) {
      if (write.result) drop(write, error);
    }
  };
  const auto journal = journal_of(at);
  if (!journal) return drop_all(journal.error());
  if (const auto room = (*journal)->make_room(); !room) return drop_all(room.error());

  std::vector<JournalRecord> records;
  records.reserve(writes.size());
  for (PendingWrite& write : writes) {
    if (write.result && write.staged.at != at) {
      drop(write, {ErrorCode::kUnavailable, "the root was replaced while this was written"});
    }
    if (!write.result) continue;
    if (write.is_start) {
      records.push_back({RecordKind::kStart, 0, 0, write.staged.file, write.bytes});
    } else {
      records.push_back({RecordKind::kAnswer, 0, write.staged.mtime_ns, write.stem, write.bytes});
    }
  }
  (*journal)->begin_group();
  if (const auto logged = (*journal)->append(records); !logged) drop_all(logged.error());
}

void JournaledAnswers::publish_logged(std::span<PendingWrite> writes) {
  const auto journal = this->journal();
  for (PendingWrite& write : writes) {
    if (!write.result || write.is_start) continue;
    write.result = publish(write);
    // Another answer was there before: the log must not prefer ours.
    if (write.result && *write.result == Publication::kAlreadyThere) {
      journal->note_withdrawn(write.stem);
    }
  }
  if (journal) journal->end_group();
}

Result<Publication> JournaledAnswers::publish(const PendingWrite& write) {
  const Directories& at = *write.staged.at;
  const auto published = publish_staged(directory_of(write), write.staged.file, at.responses.get(),
                                        Layout::file_name(write.stem), Durability::kNone);
  const bool is_done = published && *published == Publication::kPublished;
  if (!is_staged_in_record(write)) {
    if (!is_done) unstage(write);
    // The log holds the answer: a record that comes back is known to be answered.
    if (published && write.record) TRY(remove_start_record(at, *write.record));
  } else if (published && !is_done) {
    TRY(remove_start_record(at, *write.record));
  }
  return published;
}

bool JournaledAnswers::wants_checkpoint() const {
  const auto now = journal();
  return now && now->wants_checkpoint();
}

bool JournaledAnswers::has_records() const {
  const auto now = journal();
  return now && now->has_records();
}

void JournaledAnswers::note_withdrawn(std::string_view stem) {
  if (const auto now = journal()) now->note_withdrawn(stem);
}

Result<void> JournaledAnswers::checkpoint() {
  const auto now = journal();
  return now ? now->checkpoint() : Result<void>();
}

Result<void> JournaledAnswers::rest() {
  const auto now = journal();
  return now ? now->rest() : Result<void>();
}

}  // namespace filecall::spool
