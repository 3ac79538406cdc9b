// SPDX-License-Identifier: MIT
#include "client/runs/run_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

/// Another run writes its list: a second for a million requests.
constexpr Duration kListPatience = seconds(120);
constexpr std::size_t kRecordBytesMax = limits::kResponseBytesMax;

std::string noted_names(const std::vector<std::string>& ids) {
  std::string out;
  for (const std::string& id : ids) out += (out.empty() ? "" : ", ") + id;
  return out;
}

Result<UniqueFd> open_runs(const spool::Layout& layout) {
  return open_file(layout.runs(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

}  // namespace

Result<std::vector<std::string>> RunFiles::ids() const {
  std::vector<std::string> found;
  const auto directory = open_runs(layout_);
  if (!directory && directory.error().code == ErrorCode::kNotFound) return found;
  if (!directory) return Unexpected(directory.error());
  TRY(spool::read_directory(directory->get(), [&](const spool::DirectoryEntry& entry) {
    const auto id = spool::Layout::stem_of(entry.name);
    if (id && entry.may_be_regular) found.emplace_back(*id);
  }));
  std::sort(found.begin(), found.end());
  return found;
}

Result<RunRecord> RunFiles::read(std::string_view run_id) const {
  TRY_ASSIGN(const std::string bytes, read_regular_file(layout_.run(run_id), kRecordBytesMax));
  return parse_run_record(bytes, run_id);
}

Result<std::vector<RunRecord>> RunFiles::list(std::vector<std::string>* unreadable) const {
  TRY_ASSIGN(const auto names, ids());
  std::vector<RunRecord> records;
  for (const std::string& id : names) {
    auto record = read(id);
    if (record) {
      records.push_back(std::move(*record));
    } else if (unreadable != nullptr) {
      unreadable->push_back(record.error().message);
    }
  }
  return records;
}

std::string RunFiles::latest_id() const {
  constexpr std::size_t kIdBytesMax = 256;
  auto text =
      read_regular_file(layout_.runs() + "/" + spool::Layout::latest_run_name(), kIdBytesMax);
  if (!text) return {};
  if (text->ends_with('\n')) text->pop_back();
  return std::move(*text);
}

Result<std::optional<RunRecord>> RunFiles::latest() const {
  TRY_ASSIGN(const auto names, ids());
  if (names.empty()) return std::optional<RunRecord>();
  const std::string noted = latest_id();
  const bool is_there = std::binary_search(names.begin(), names.end(), noted);
  TRY_ASSIGN(RunRecord record, read(is_there ? noted : names.back()));
  return std::optional(std::move(record));
}

Result<std::optional<RunRecord>> RunFiles::latest_of(std::string_view name) const {
  TRY_ASSIGN(auto last, latest());
  if (last && last->plan.name == name) return last;
  TRY_ASSIGN(auto records, list());
  const auto found = std::find_if(records.rbegin(), records.rend(), [&](const RunRecord& record) {
    return record.plan.name == name;
  });
  if (found == records.rend()) return std::optional<RunRecord>();
  return std::optional(std::move(*found));
}

Result<RunRecord> RunFiles::find(std::string_view name) const {
  TRY_ASSIGN(const auto names, ids());
  TRY_ASSIGN(auto last, latest());
  const auto missing = [&](std::string_view why) {
    return fail(ErrorCode::kNotFound,
                fmt::format("run '{}': {} in {}; 'filecall runs list' lists them", name, why,
                            layout_.runs()));
  };
  if (!last) return missing("nothing was run");
  if (name == "latest") return std::move(*last);
  if (name == "previous") {
    const auto at = std::lower_bound(names.begin(), names.end(), last->run_id);
    if (at == names.begin()) return missing("no run began before the latest");
    return read(*std::prev(at));
  }
  std::vector<std::string> fitting;
  for (const std::string& id : names) {
    if (id == name) return read(id);
    if (id.starts_with(name) || id.ends_with(name)) fitting.push_back(id);
  }
  if (name.empty() || fitting.empty()) return missing("there is none of that name");
  if (fitting.size() == 1) return read(fitting.front());
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("run '{}': several fit: {}; write more of one", name, noted_names(fitting)));
}

Result<std::optional<RunRecord>> RunFiles::find_digest(std::string_view digest) const {
  TRY_ASSIGN(const auto names, ids());
  const std::string ending = run_id_ending(digest);
  for (auto id = names.rbegin(); id != names.rend(); ++id) {
    if (!id->ends_with(ending)) continue;
    auto record = read(*id);
    if (!record || record->digest != digest) continue;
    return std::optional(std::move(*record));
  }
  return std::optional<RunRecord>();
}

Result<RunFiles::Begun> RunFiles::begin(const RunPlanText& plan, const ListRequests& list,
                                        WallTime now, Durability durability) {
  TRY(make_directories(layout_.runs()));
  TRY(make_directories(layout_.client()));
  TRY_ASSIGN(const UniqueFd directory, open_runs(layout_));
  TRY_ASSIGN(RunDraft draft, RunDraft::create(directory.get()));
  TRY(list(draft));
  RunRecord record;
  TRY_ASSIGN(record.items_digest, draft.finish());
  record.plan = plan;
  record.created_at = now;
  record.requests = draft.requests();
  record.digest = run_digest(plan, record.items_digest);
  record.run_id = make_run_id(now, record.digest);

  TRY_ASSIGN(const spool::FileLock lock,
             spool::FileLock::acquire(layout_.client_runs_lock(), kListPatience));
  TRY_ASSIGN(auto same, find_digest(record.digest));
  const bool is_new = !same;
  if (same) record = std::move(*same);
  // The list first: a record promises that it is there.
  if (is_new || ::access(layout_.run_items(record.run_id).c_str(), F_OK) != 0) {
    TRY(draft.keep_as(spool::Layout::run_items_name(record.run_id), durability));
  }
  if (is_new) {
    TRY(spool::replace_file(directory.get(), spool::Layout::file_name(record.run_id),
                            dump_json(run_record_json(record), 2) + "\n", durability));
  }
  if (latest_id() != record.run_id) {
    TRY(spool::replace_file(directory.get(), spool::Layout::latest_run_name(), record.run_id + "\n",
                            durability));
  }
  if (durability == Durability::kFull) TRY(spool::sync_directory(directory.get()));
  return Begun{std::move(record), is_new};
}

Result<spool::FileLock> RunFiles::lock(std::string_view run_id) const {
  TRY(make_directories(layout_.client_run_locks()));
  return spool::FileLock::acquire(layout_.client_run_lock(run_id));
}

bool RunFiles::goes_on(std::string_view run_id) const {
  return spool::FileLock::is_held(layout_.client_run_lock(run_id)).value_or(false);
}

Result<std::string> RunFiles::remove(std::string_view name) {
  TRY_ASSIGN(RunRecord record, find(name));
  if (goes_on(record.run_id)) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("run {}: goes on; end its 'filecall run' first", record.run_id));
  }
  // The record first: without it the list is nobody's.
  for (const std::string& path : {layout_.run(record.run_id), layout_.run_items(record.run_id)}) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail_errno(errno, path);
  }
  return std::move(record.run_id);
}

}  // namespace filecall::client
