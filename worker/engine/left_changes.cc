// SPDX-License-Identifier: MIT
#include "worker/engine/left_changes.h"

#include <set>
#include <utility>

#include "base/log.h"
#include "ipc/json.h"
#include "ipc/limits.h"
#include "os/regular_file.h"
#include "worker/changes/change_answer.h"
#include "worker/changes/change_journal_file.h"
#include "worker/exec/json_read.h"

namespace filecall::worker {
namespace {

/// The commands that record what they change before they change it.
constexpr std::string_view kApplyCommand = "file.apply";
constexpr std::string_view kCommitCommand = "git.commit";
constexpr std::size_t kStartBytesMax = 64 * 1024;

void log_end(const std::string& stem, const changes::FinishedChanges& finished) {
  if (finished.end != changes::ChangeEnd::kTorn) {
    log_info("{}: the changes of files that an earlier worker left are {}", stem,
             to_string(finished.end));
    return;
  }
  log_error("{}: changes of files that an earlier worker left can neither be made nor undone",
            stem);
  for (const std::string& file : finished.files) log_error("{}: {}", stem, file);
}

/// The member of a file that holds an object; empty: there is none.
std::string command_in(const std::string& path, std::size_t bytes_max) {
  const auto text = read_regular_file(path, bytes_max);
  if (!text) return "";
  const Json object = Json::parse(*text, nullptr, false);
  return object.is_object() ? text_member(object, "command") : "";
}

void remove(const std::string& folder, const std::string& stem) {
  if (const auto removed = changes::remove_record(folder, stem); !removed) {
    log_warn("{}: the record of its changes stays: {}", stem, removed.error().message);
  }
}

}  // namespace

LeftChanges::LeftChanges(const spool::Layout& layout) : layout_(layout) {}

void LeftChanges::finish_one(const std::string& stem, bool is_asked) {
  const std::string folder = layout_.worker_changes();
  auto journal = changes::ChangeJournalFile::open(folder, stem);
  if (!journal) {
    log_error("{}: what became of its changes is not known: {}", stem, journal.error().message);
    return;
  }
  const changes::FinishedChanges finished = changes::finish_changes(*journal);
  log_end(stem, finished);
  if (!is_asked) return remove(folder, stem);
  outcomes_.insert_or_assign(stem, changes::answer_of(journal->record(), finished));
}

/// Without a record nothing was changed, if the start was one of the command that makes records.
void LeftChanges::note_unbegun(const spool::StartRecordName& start) {
  const std::string path = layout_.worker_started() + "/" + start.format();
  std::string command = command_in(path, kStartBytesMax);
  // Its response was about to take the place of what it said.
  if (command.empty()) command = command_in(layout_.request(start.stem), limits::kRequestBytes);
  if (command == kApplyCommand) {
    outcomes_.insert_or_assign(start.stem, Unexpected(changes::nothing_begun()));
  } else if (command == kCommitCommand) {
    outcomes_.insert_or_assign(start.stem, Unexpected(changes::nothing_committed()));
  }
}

Result<void> LeftChanges::finish(std::span<const spool::StartRecordName> left,
                                 const std::function<bool(std::string_view)>& is_pending) {
  TRY_ASSIGN(const auto stems, changes::requests_with_records(layout_.worker_changes()));
  for (const std::string& stem : stems) finish_one(stem, is_pending(stem));
  const std::set<std::string_view> recorded(stems.begin(), stems.end());
  for (const spool::StartRecordName& start : left) {
    if (start.effects != Effects::kNone && !recorded.contains(start.stem)) note_unbegun(start);
  }
  return {};
}

std::optional<Outcome> LeftChanges::take(std::string_view stem) {
  const auto found = outcomes_.find(stem);
  if (found == outcomes_.end()) return std::nullopt;
  Outcome outcome = std::move(found->second);
  outcomes_.erase(found);
  taken_.emplace(stem);
  return outcome;
}

bool LeftChanges::leaves_record(std::string_view stem,
                                const std::optional<StartRecord>& start) const {
  const bool may = (start && start->effects != Effects::kNone) || taken_.contains(stem);
  return may && changes::has_record(layout_.worker_changes(), stem);
}

void LeftChanges::forget(const std::string& stem) const {
  const std::string folder = layout_.worker_changes();
  const auto journal = changes::ChangeJournalFile::open(folder, stem);
  if (!journal || !journal->record().end) return;
  remove(folder, stem);
}

}  // namespace filecall::worker
