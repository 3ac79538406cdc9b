// SPDX-License-Identifier: MIT
#include "spool/journaled_answers.h"

#include <unistd.h>

#include <utility>

#include "base/log.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/start_records.h"

namespace filecall::spool {

/// A posting whose file is written, under a name that nobody reads yet.
struct JournaledAnswers::Staged {
  Posting* posting;
  int directory_fd;
  std::string file;
  std::int64_t mtime_ns = 0;
};

namespace {

bool is_staged_in_record(const Directories& at, const Posting& posting) {
  return posting.record && at.staging_is_shared;
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

void JournaledAnswers::commit(std::span<Posting> postings) {
  const auto at = root_.directories();
  const auto fail_all = [&](const Error& error) {
    for (Posting& posting : postings) posting.result = Unexpected(error);
  };
  const auto journal = journal_of(at);
  if (!journal) return fail_all(journal.error());
  if (const auto room = (*journal)->make_room(); !room) return fail_all(room.error());

  const auto group = (*journal)->begin_group();
  std::vector<Staged> staged;
  std::vector<JournalRecord> records;
  staged.reserve(postings.size());
  records.reserve(postings.size());
  for (Posting& posting : postings) {
    Staged file{&posting, staging_of(*at), ""};
    if (posting.is_start) {
      const auto written =
          write_start_record(*at, *posting.record, posting.bytes, Durability::kNone);
      if (!written) posting.result = Unexpected(written.error());
      if (!written) continue;
      file.file = posting.record->format();
      staged.push_back(std::move(file));
      records.push_back({RecordKind::kStart, 0, 0, "", posting.bytes});
      continue;
    }
    const bool in_record = is_staged_in_record(*at, posting);
    if (in_record) file.directory_fd = at->worker_started.get();
    file.file = in_record ? posting.record->format() : next_temporary_name();
    const auto written =
        write_file_at(file.directory_fd, file.file, posting.bytes, {}, Durability::kNone);
    if (!written) {
      if (!in_record) ::unlinkat(file.directory_fd, file.file.c_str(), 0);
      posting.result = Unexpected(written.error());
      continue;
    }
    staged.push_back(std::move(file));
    records.push_back({RecordKind::kAnswer, 0, *written, posting.stem, posting.bytes});
  }
  // Only now: the names of starts point into `staged`, which has stopped growing.
  for (std::size_t i = 0; i < staged.size(); ++i) {
    if (records[i].kind == RecordKind::kStart) records[i].name = staged[i].file;
  }

  const auto logged = (*journal)->append(records);
  for (const Staged& file : staged) {
    Posting& posting = *file.posting;
    if (posting.is_start) {
      if (!logged) posting.result = Unexpected(logged.error());
    } else if (!logged) {
      posting.result = Unexpected(logged.error());
      if (!is_staged_in_record(*at, posting)) ::unlinkat(file.directory_fd, file.file.c_str(), 0);
    } else {
      posting.result = publish(*at, file);
      // Another answer was there before: the log must not prefer ours.
      if (posting.result && *posting.result == Publication::kAlreadyThere) {
        (*journal)->note_withdrawn(posting.stem);
      }
    }
  }
}

Result<Publication> JournaledAnswers::publish(const Directories& at, const Staged& staged) {
  const Posting& posting = *staged.posting;
  const auto published = publish_staged(staged.directory_fd, staged.file, at.responses.get(),
                                        Layout::file_name(posting.stem), Durability::kNone);
  const bool is_done = published && *published == Publication::kPublished;
  if (!is_staged_in_record(at, posting)) {
    if (!is_done) ::unlinkat(staged.directory_fd, staged.file.c_str(), 0);
    // The log holds the answer: a record that comes back is known to be answered.
    if (published && posting.record) TRY(remove_start_record(at, *posting.record));
  } else if (published && !is_done) {
    TRY(remove_start_record(at, *posting.record));
  }
  if (published) answers_.note_published(posting.stem);
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
