// SPDX-License-Identifier: MIT
#include "client/service/ledger.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <set>
#include <utility>

#include "base/result.h"
#include "client/grades/grade_log.h"
#include "client/runs/batch_members.h"
#include "client/service/last_answer.h"
#include "client/service/unknown_request.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "os/clock.h"
#include "os/regular_file.h"
#include "spool/group_root.h"
#include "spool/name_list.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

void set_if_there(std::optional<std::string>& text, std::vector<std::string>& files,
                  const std::string& path) {
  auto bytes = read_regular_file(path, limits::kResponseBytesMax);
  if (!bytes) return;
  text = std::move(*bytes);
  files.push_back(path);
}

std::string command_in(std::string_view request, std::string_view id) {
  const auto parsed = parse_request(request, id);
  return parsed ? parsed->command : std::string();
}

/// What is not there (yet) is nobody's.
bool is_own(const std::string& root) {
  const spool::Layout layout = spool::layout_of(root);
  if (layout.is_of_group() && ::access(layout.home().c_str(), F_OK) != 0) return false;
  for (const std::string& path : {layout.home(), layout.client(), layout.client_database()}) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && info.st_uid != ::geteuid()) return false;
  }
  return true;
}

/// A client of any kind may have made requests/ alone; the rest comes with the first program that
/// needs it.
Result<void> check_is_root(const std::string& root) {
  const std::string requests = spool::Layout(root).requests();
  struct stat info {};
  if (::lstat(requests.c_str(), &info) == 0 || errno != ENOENT) return {};
  return fail(ErrorCode::kNotFound,
              requests +
                  ": not there, so this is no root; a run or 'filecall worker start' makes one, "
                  "--root or $FILECALL_ROOT name another");
}

/// Of another user's root nothing is made.
Result<void> check_has_responses(const std::string& root) {
  const std::string responses = spool::Layout(root).responses();
  struct stat info {};
  if (::lstat(responses.c_str(), &info) == 0 || errno != ENOENT) return {};
  return fail(ErrorCode::kNotFound,
              responses +
                  ": not there: no worker has served this root so far, and only its owner makes "
                  "what is missing, e.g. with 'filecall status'");
}

}  // namespace

Ledger::Ledger(const LedgerOptions& options, spool::Root root, std::unique_ptr<StateStore> store)
    : options_(options),
      root_(std::move(root)),
      channel_(root_, options.durability),
      store_(std::move(store)),
      rows_(root_, *store_),
      changes_(root_, channel_, *store_, rows_, options.durability),
      editor_(root_, channel_, *store_, rows_, options.durability) {}

Result<std::unique_ptr<Ledger>> Ledger::open_as_guest(const LedgerOptions& options) {
  TRY(check_is_root(options.root));
  TRY(check_has_responses(options.root));
  TRY_ASSIGN(spool::Root root, spool::Root::open(options.root, {options.allow_shared_root, false}));
  TRY_ASSIGN(auto store, StateStore::open_copy(root.layout().client_database()));
  std::unique_ptr<Ledger> ledger(new Ledger(options, std::move(root), std::move(store)));
  ledger->is_guest_ = true;
  return ledger;
}

Result<std::unique_ptr<Ledger>> Ledger::open(const LedgerOptions& options) {
  if (options.only_reads && !is_own(options.root)) return open_as_guest(options);
  if (!options.create) TRY(check_is_root(options.root));
  // What only lacks directories of ours gets them.
  TRY_ASSIGN(spool::Root root, spool::Root::open(options.root, {options.allow_shared_root, true}));
  auto opened = StateStore::open(root.layout().client_database(), options.durability, wall_now());
  // A look needs no space where there is none left.
  if (!opened && options.only_reads && opened.error().code == ErrorCode::kResourceExhausted) {
    return open_as_guest(options);
  }
  TRY_ASSIGN(auto store, std::move(opened));
  return std::unique_ptr<Ledger>(new Ledger(options, std::move(root), std::move(store)));
}

RequestEntry Ledger::entry_of(const RequestRow& row, bool is_inferred) {
  RequestEntry entry;
  describe(row, entry);
  entry.batch = row.batch;
  entry.updated_at = row.progress.changed_at;
  if (row.progress.state == RequestState::kWaiting) entry.due_at = row.progress.due_at;
  entry.finished_at = row.finished_at;
  entry.owner = row.owner;
  entry.owner_is_alive = rows_.is_alive(row.owner);
  entry.is_inferred = is_inferred;
  entry.is_collected = row.collected_at.has_value();
  return entry;
}

Result<LedgerCounts> Ledger::count_matching(EntryFilter filter) {
  filter.limit = 0;
  LedgerCounts counts;
  TRY(for_each(filter, [&counts](const RequestEntry& entry) {
    counts.add(entry.state);
    return true;
  }));
  return counts;
}

Result<void> Ledger::for_each(const EntryFilter& filter,
                              const std::function<bool(const RequestEntry&)>& visit) {
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  return for_each(filter, std::move(names), visit);
}

Result<void> Ledger::for_each(const EntryFilter& filter, spool::NameList names,
                              const std::function<bool(const RequestEntry&)>& visit) {
  // What has no row belongs to no batch.
  if (!filter.batch.empty()) names = {};
  TRY_ASSIGN(const BatchMembers members, BatchMembers::of(root_.layout(), filter.batch));
  std::int64_t visited = 0;
  return rows_.walk(std::move(names), [&](const RequestRow& row, bool is_inferred) -> Result<bool> {
    if (row.is_control || row.collected_at) return true;
    if (filter.state && *filter.state != row.progress.state) return true;
    if (!members.contains(row.request_id, row.batch)) return true;
    if (!visit(entry_of(row, is_inferred))) return false;
    return filter.limit == 0 || ++visited < filter.limit;
  });
}

Result<void> Ledger::each_failure(std::string_view batch, std::int64_t limit,
                                  const std::function<bool(const RequestEntry&)>& visit) {
  constexpr int kPage = 256;
  std::int64_t left = limit == 0 ? std::numeric_limits<std::int64_t>::max() : limit;
  const RowFilter filter{.state = RequestState::kGaveUp, .batch = batch};
  std::string after;
  for (bool is_last = false; !is_last && left > 0;) {
    TRY_ASSIGN(const auto rows, store_->page(filter, after, kPage));
    is_last = rows.size() < kPage;
    if (!rows.empty()) after = rows.back().request_id;
    for (const RequestRow& row : rows) {
      if (left-- == 0 || !visit(entry_of(row, false))) return {};
    }
  }
  const int failed = root_.directories()->failed.get();
  if (failed < 0 || !batch.empty() || left <= 0) return {};
  spool::NameList names;
  TRY(spool::read_directory(failed, [&](const spool::DirectoryEntry& entry) {
    const auto stem = spool::Layout::stem_of(entry.name);
    if (stem && entry.may_be_regular) names.add(*stem);
  }));
  for (std::size_t i = 0; i < names.size(); ++i) {
    TRY_ASSIGN(const auto found, rows_.find(names[i]));
    if (!found || !found->is_inferred || found->row.progress.state != RequestState::kGaveUp) {
      continue;
    }
    if (left-- == 0 || !visit(entry_of(found->row, true))) return {};
  }
  return {};
}

Result<std::vector<std::string>> Ledger::ids_beginning(std::string_view prefix, std::size_t limit,
                                                       Deadline until) {
  std::set<std::string, std::less<>> ids;
  const RowFilter all{};
  TRY_ASSIGN(const auto exact, store_->find(prefix));
  if (exact && !exact->is_control && !exact->collected_at) ids.emplace(prefix);
  // In order of id: what begins so stands together, after the prefix itself.
  TRY_ASSIGN(const auto rows, store_->page(all, prefix, static_cast<int>(limit)));
  for (const RequestRow& row : rows) {
    const bool is_offered = !row.is_control && !row.collected_at;
    if (is_offered && row.request_id.starts_with(prefix)) ids.insert(row.request_id);
  }
  const auto is_own_control = [&](std::string_view id) {
    const auto row = store_->find(id);
    return row && *row && (*row)->is_control;
  };
  TRY_ASSIGN(auto reader, spool::DirectoryReader::open(root_.directories()->requests.get()));
  for (bool has_more = true;
       has_more && ids.size() < limit && !until.is_reached(monotonic_now());) {
    TRY_ASSIGN(has_more, reader.step([&](const spool::DirectoryEntry& entry) {
      if (!entry.name.starts_with(prefix) || ids.size() >= limit) return;
      const auto stem = spool::Layout::stem_of(entry.name);
      if (!stem || !entry.may_be_regular || !stem->starts_with(prefix)) return;
      if (!ids.contains(*stem) && !is_own_control(*stem)) ids.emplace(*stem);
    }));
  }
  std::vector<std::string> sorted(ids.begin(), ids.end());
  if (sorted.size() > limit) sorted.resize(limit);
  return sorted;
}

Result<std::optional<RequestEntry>> Ledger::find(std::string_view id) {
  TRY_ASSIGN(const auto found, rows_.find(id));
  if (!found) return std::optional<RequestEntry>();
  RequestEntry entry = entry_of(found->row, found->is_inferred);
  entry.is_undriven = found->is_undriven;
  return std::optional(std::move(entry));
}

Result<RequestDetails> Ledger::show(std::string_view id) {
  rows_.forget_owners();
  RequestDetails details;
  TRY_ASSIGN(const auto found, rows_.find(id));
  const spool::Layout& layout = root_.layout();
  if (!found) return Unexpected(unknown_request(root_, id));
  set_if_there(details.request, details.files, layout.request(id));
  const AskedBy asked = found->is_inferred ? AskedBy::kAnyone : AskedBy::kReader;
  if (auto answer = last_answer(layout, id, RequestState::kSuccess, asked)) {
    details.response = std::move(answer->bytes);
    details.files.push_back(std::move(answer->path));
  }
  set_if_there(details.failed, details.files, layout.failed(id));
  // What cannot be read is not shown, like the other files.
  if (auto grades = evaluations_of(layout, id)) details.eval = std::move(*grades);
  for (const std::string& path : {layout.eval(id), layout.grades()}) {
    if (details.eval && ::access(path.c_str(), F_OK) == 0) details.files.push_back(path);
  }
  if (::access(layout.events(id).c_str(), F_OK) == 0) details.files.push_back(layout.events(id));
  details.entry = entry_of(found->row, found->is_inferred);
  if (details.entry.command.empty() && details.request) {
    details.entry.command = command_in(*details.request, id);
  }
  return details;
}

std::string Ledger::read_command(std::string_view id) {
  const auto text = channel_.read_request(id);
  return text && *text ? command_in(**text, id) : std::string();
}

Result<void> Ledger::check_may_collect() const {
  if (!root_.directories()->is_members) return {};
  return fail(ErrorCode::kPermissionDenied,
              "gc: the responses of a group's root belong to its worker; let the root's owner run "
              "it");
}

Result<GcReport> Ledger::gc(const GcOptions& options, GcProgress on_progress) {
  TRY(check_may_collect());
  return Collection(root_, *store_, rows_, options_.durability, options, std::move(on_progress))
      .run();
}

Result<RemovedFiles> Ledger::make_room(const GcOptions& options) {
  TRY(check_may_collect());
  return Collection(root_, *store_, rows_, options_.durability, options).make_room();
}

}  // namespace filecall::client
