// SPDX-License-Identifier: MIT
#include "client/service/collection.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <utility>

#include "client/grades/grade_compaction.h"
#include "client/service/kept_runs.h"
#include "client/service/request_count.h"
#include "os/clock.h"
#include "os/io.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::size_t kCollectedAtOnce = 4096;
/// What the database needs to be opened, and to take the first tombstones.
constexpr std::int64_t kRoomBytes = std::int64_t{4} << 20;
constexpr std::size_t kRoomAtOnce = 256;

}  // namespace

Result<GcReport> Collection::run() {
  // Listed first and removed afterwards: the walk must not see its own traces.
  TRY_ASSIGN(std::vector<std::string> ids, list());
  TRY(keep_for_runs(ids));
  TRY(read_rare_names());
  std::vector<RequestRow> rows;
  std::int64_t seen = 0;
  for (const std::string& id : ids) {
    ++seen;
    TRY_ASSIGN(auto found, rows_.find(id));
    if (!found || !is_final(found->row.progress.state)) continue;  // Retried meanwhile.
    rows.push_back(std::move(found->row));
    if (rows.size() < kCollectedAtOnce) continue;
    TRY(collect(rows));
    if (on_progress_) on_progress_(seen, static_cast<std::int64_t>(ids.size()));
  }
  TRY(collect(rows));
  TRY(collect(rows));  // What is withdrawn by now.
  const auto is_gone = [&](std::string_view id) { return collected_.contains(id); };
  for (const auto compact : {compact_grades, compact_preferences}) {
    TRY_ASSIGN(const std::int64_t freed, compact(root_.layout(), is_gone, options_.dry_run));
    report_.bytes += freed;
  }
  if (options_.forget_after) {
    TRY_ASSIGN(report_.forgotten,
               store_.forget_collected(wall_now() - *options_.forget_after, options_.dry_run));
  }
  return report_;
}

Result<std::vector<std::string>> Collection::list() {
  const WallTime newest = wall_now() - options_.older_than;
  std::vector<std::string> ids;
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  TRY(rows_.walk(std::move(names), [&](const RequestRow& row, bool is_inferred) -> Result<bool> {
    // What a gc that was killed has left of it in eval/ goes now.
    if (row.collected_at) collected_.insert(row.request_id);
    if (row.collected_at || !is_final(row.progress.state)) return true;
    if (row.finished_at.value_or(row.progress.changed_at) > newest ||
        (row.progress.state == RequestState::kGaveUp && !row.progress.copied && !is_inferred)) {
      if (!row.is_control) ++report_.kept;
      return true;
    }
    if (!options_.with_failed && !row.is_control && row.progress.state == RequestState::kGaveUp) {
      ++report_.kept_failed;
      return true;
    }
    ids.push_back(row.request_id);
    if (is_inferred) inferred_.insert(row.request_id);
    return true;
  }));
  return ids;
}

Result<RemovedFiles> Collection::make_room() {
  TRY_ASSIGN(std::vector<std::string> ids, list());
  TRY(keep_for_runs(ids));
  TRY(read_rare_names());
  const auto directories = root_.directories();
  for (std::size_t at = 0; at < ids.size() && report_.bytes < kRoomBytes;) {
    std::vector<FileRemoval> requests;
    std::vector<FileRemoval> answers;
    for (const std::size_t end = std::min(ids.size(), at + kRoomAtOnce); at < end; ++at) {
      const std::string name = spool::Layout::file_name(ids[at]);
      add_rare(root_.layout().events(), ids[at] + ".jsonl", answers);
      // Nothing but its files says that it has ended.
      if (inferred_.contains(ids[at])) continue;
      requests.push_back({directories->requests.get(), name});
      answers.push_back({directories->responses.get(), name});
    }
    TRY(remove_and_count(requests));
    // As in collect(): a request without a response is pending.
    if (!requests.empty()) TRY(spool::sync_directory(directories->requests.get()));
    TRY(remove_and_count(answers));
  }
  return RemovedFiles{report_.files, report_.bytes};
}

Result<void> Collection::keep_for_runs(std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  TRY_ASSIGN(const KeptRuns runs, KeptRuns::look(root_.layout()));
  report_.kept_for_runs = static_cast<std::int64_t>(
      std::erase_if(ids, [&runs](const std::string& id) { return runs.need(id); }));
  return {};
}

Result<void> Collection::read_rare_names() {
  const spool::Layout& layout = root_.layout();
  for (const std::string& directory :
       {layout.failed(), layout.eval(), layout.events(), layout.client_answers()}) {
    auto fd = open_file(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd && fd.error().code == ErrorCode::kNotFound) continue;
    if (!fd) return Unexpected(fd.error());
    TRY(spool::read_directory(fd->get(), [&](const spool::DirectoryEntry& entry) {
      rare_.insert(directory + "/" + std::string(entry.name));
      if (const auto stem = spool::Layout::stem_of_unreadable(entry.name)) {
        unreadable_.emplace(*stem, entry.name);
      }
    }));
    rare_folders_.insert_or_assign(directory, std::move(*fd));
  }
  return {};
}

Result<void> Collection::collect(std::vector<RequestRow>& rows) {
  const auto directories = root_.directories();
  std::vector<FileRemoval> answers;
  for (const RequestRow& row : withdrawn_) {
    add_answers(row, directories->responses.get(), answers);
  }
  // The system removes one name of a directory at a time, so names of two take turns.
  std::vector<FileRemoval> removals;
  removals.reserve(rows.size() + answers.size());
  for (std::size_t i = 0; i < std::max(rows.size(), answers.size()); ++i) {
    if (i < rows.size()) {
      removals.push_back(
          {directories->requests.get(), spool::Layout::file_name(rows[i].request_id)});
    }
    if (i < answers.size()) removals.push_back(std::move(answers[i]));
  }
  TRY(remove_and_count(removals));
  // The request goes first and durably: a request without a response is pending.
  if (!rows.empty() && !options_.dry_run && durability_ == Durability::kFull) {
    TRY(spool::sync_directory(directories->requests.get()));
  }
  for (const RequestRow& row : withdrawn_) {
    collected_.insert(row.request_id);
    if (!row.is_control) ++report_.requests;
  }
  if (!options_.dry_run) TRY(leave_tombstones(withdrawn_));
  withdrawn_ = std::move(rows);
  rows.clear();
  return {};
}

Result<void> Collection::remove_and_count(const std::vector<FileRemoval>& removals) {
  TRY_ASSIGN(const RemovedFiles removed, remove_files(removals, options_.dry_run));
  report_.files += removed.files;
  report_.bytes += removed.bytes;
  return {};
}

void Collection::add_answers(const RequestRow& row, int responses_fd,
                             std::vector<FileRemoval>& removals) {
  const spool::Layout& layout = root_.layout();
  const std::string name = spool::Layout::file_name(row.request_id);
  removals.push_back({responses_fd, name});
  for (const std::string& directory : {layout.failed(), layout.eval(), layout.client_answers()}) {
    add_rare(directory, name, removals);
  }
  add_rare(layout.events(), row.request_id + ".jsonl", removals);
  const auto [begin, end] = unreadable_.equal_range(row.request_id);
  for (auto it = begin; it != end; ++it) add_rare(layout.failed(), it->second, removals);
}

// A look-up of a name that is not there costs as much as one of a file that is.
void Collection::add_rare(const std::string& directory, const std::string& name,
                          std::vector<FileRemoval>& removals) {
  if (!rare_.contains(directory + "/" + name)) return;
  removals.push_back({rare_folders_.at(directory).get(), name});
}

Result<void> Collection::leave_tombstones(std::vector<RequestRow>& rows) {
  if (rows.empty()) return {};
  std::vector<const RequestRow*> all;
  for (RequestRow& row : rows) {
    row.collected_at = wall_now();
    all.push_back(&row);
  }
  TRY(store_.begin());
  if (const auto put = store_.put_all(all); !put) {
    store_.rollback();
    return put;
  }
  return store_.commit();
}

}  // namespace filecall::client
