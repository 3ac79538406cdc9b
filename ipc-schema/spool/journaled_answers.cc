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

bool is_staged_in_record(const Posting& posting) {
  return posting.record && posting.staged.at->staging_is_shared;
}

int directory_of(const Posting& posting) {
  const Directories& at = *posting.staged.at;
  return is_staged_in_record(posting) ? at.worker_started.get() : staging_of(at);
}

void unstage(const Posting& posting) {
  // A record stays: it says that there was a start.
  if (posting.is_start || is_staged_in_record(posting)) return;
  ::unlinkat(directory_of(posting), posting.staged.file.c_str(), 0);
}

void drop(Posting& posting, const Error& error) {
  unstage(posting);
  posting.result = Unexpected(error);
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

void JournaledAnswers::stage(Posting& posting) {
  posting.result = Publication::kPublished;
  posting.staged = {root_.directories(), "", 0};
  if (posting.is_start) {
    posting.staged.file = posting.record->format();
    const auto written =
        write_start_record(*posting.staged.at, *posting.record, posting.bytes, Durability::kNone);
    if (!written) posting.result = Unexpected(written.error());
    return;
  }
  posting.staged.file =
      is_staged_in_record(posting) ? posting.record->format() : next_temporary_name();
  const auto written = write_file_at(directory_of(posting), posting.staged.file, posting.bytes, {},
                                     Durability::kNone);
  if (!written) return drop(posting, written.error());
  posting.staged.mtime_ns = *written;
}

void JournaledAnswers::log(std::span<Posting> postings) {
  const auto at = root_.directories();
  const auto drop_all = [&](const Error& error) {
    for (Posting& posting : postings) {
      if (posting.result) drop(posting, error);
    }
  };
  const auto journal = journal_of(at);
  if (!journal) return drop_all(journal.error());
  if (const auto room = (*journal)->make_room(); !room) return drop_all(room.error());

  std::vector<JournalRecord> records;
  records.reserve(postings.size());
  for (Posting& posting : postings) {
    if (posting.result && posting.staged.at != at) {
      drop(posting, {ErrorCode::kUnavailable, "the root was replaced while this was written"});
    }
    if (!posting.result) continue;
    if (posting.is_start) {
      records.push_back({RecordKind::kStart, 0, 0, posting.staged.file, posting.bytes});
    } else {
      records.push_back(
          {RecordKind::kAnswer, 0, posting.staged.mtime_ns, posting.stem, posting.bytes});
    }
  }
  (*journal)->begin_group();
  if (const auto logged = (*journal)->append(records); !logged) drop_all(logged.error());
}

void JournaledAnswers::publish_logged(std::span<Posting> postings) {
  const auto journal = this->journal();
  for (Posting& posting : postings) {
    if (!posting.result || posting.is_start) continue;
    posting.result = publish(posting);
    // Another answer was there before: the log must not prefer ours.
    if (posting.result && *posting.result == Publication::kAlreadyThere) {
      journal->note_withdrawn(posting.stem);
    }
  }
  if (journal) journal->end_group();
}

Result<Publication> JournaledAnswers::publish(const Posting& posting) {
  const Directories& at = *posting.staged.at;
  const auto published =
      publish_staged(directory_of(posting), posting.staged.file, at.responses.get(),
                     Layout::file_name(posting.stem), Durability::kNone);
  const bool is_done = published && *published == Publication::kPublished;
  if (!is_staged_in_record(posting)) {
    if (!is_done) unstage(posting);
    // The log holds the answer: a record that comes back is known to be answered.
    if (published && posting.record) TRY(remove_start_record(at, *posting.record));
  } else if (published && !is_done) {
    TRY(remove_start_record(at, *posting.record));
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
