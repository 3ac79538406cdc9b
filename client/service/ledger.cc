// SPDX-License-Identifier: MIT
#include "client/service/ledger.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/result.h"
#include "client/service/last_answer.h"
#include "client/service/ledger_base.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/process.h"
#include "spool/drop.h"
#include "spool/lock.h"
#include "spool/name_list.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPage = 1024;

WallTime time_of(const spool::FileIdentity& identity) {
  return WallTime(Duration(identity.mtime_ns));
}

void set_if_there(std::optional<std::string>& text, std::vector<std::string>& files,
                  const std::string& path) {
  auto bytes = read_file(path, limits::kResponseBytesMax);
  if (!bytes) return;
  text = std::move(*bytes);
  files.push_back(path);
}

}  // namespace

RootLedger::RootLedger(const LedgerOptions& options, spool::Root root,
                       std::unique_ptr<StateStore> store)
    : options_(options),
      root_(std::move(root)),
      channel_(root_, options.durability),
      store_(std::move(store)),
      random_(random_seed()) {}

Result<std::unique_ptr<Ledger>> Ledger::open(const LedgerOptions& options) {
  TRY_ASSIGN(spool::Root root,
             spool::Root::open(options.root, {options.allow_shared_root, options.create}));
  // Found complete from here on: what only lacks directories of ours gets them.
  if (!options.create) {
    TRY_ASSIGN(root, spool::Root::open(options.root, {options.allow_shared_root, true}));
  }
  TRY_ASSIGN(auto store,
             StateStore::open(root.layout().client_database(), options.durability, wall_now()));
  return std::unique_ptr<Ledger>(
      std::make_unique<RootLedger>(options, std::move(root), std::move(store)));
}

bool RootLedger::is_alive(const std::string& owner) {
  if (owner.empty()) return false;
  const auto [known, is_new] = liveness_.try_emplace(owner, false);
  if (is_new) {
    known->second = spool::FileLock::is_held(root_.layout().client_lock(owner)).value_or(true);
  }
  return known->second;
}

RequestEntry RootLedger::entry_of(const RequestRow& row) {
  RequestEntry entry;
  entry.request_id = row.request_id;
  entry.command = row.command;
  entry.state = row.progress.state;
  entry.attempt = row.progress.attempt;
  entry.error_code = row.progress.error_code;
  entry.error_message = row.progress.error_message;
  entry.batch = row.batch;
  entry.submitted_at = row.submitted_at;
  entry.updated_at = row.progress.changed_at;
  if (row.progress.state == RequestState::kWaiting) entry.due_at = row.progress.due_at;
  entry.finished_at = row.finished_at;
  entry.queued_ms = row.queued_ms;
  entry.run_ms = row.run_ms;
  entry.spend = row.spend;
  entry.owner = row.owner;
  entry.owner_is_alive = is_alive(row.owner);
  return entry;
}

Result<std::optional<RequestRow>> RootLedger::infer(std::string_view id) {
  if (!spool::has_request(*root_.directories(), id)) return std::optional<RequestRow>();
  return infer_listed(id);
}

/// A root may hold millions, most of them successes: for those nothing but the response is opened.
Result<std::optional<RequestRow>> RootLedger::infer_listed(std::string_view id) {
  const auto directories = root_.directories();
  RequestRow row;
  row.request_id = std::string(id);
  std::optional<Response> answer;
  auto file = spool::read_response_file(*directories, id);
  if (file && *file) {
    auto response = parse_response((*file)->bytes, id);
    if (response && response->timing) {
      row.queued_ms = response->timing->queued_ms;
      row.run_ms = response->timing->run_ms;
    }
    row.finished_at = time_of((*file)->identity);
    if (response) answer = std::move(*response);
  }
  bool has_failed_copy = false;
  if (!answer || !answer->is_success()) {
    if (!spool::has_request(*directories, id)) return std::optional<RequestRow>();  // Removed.
    has_failed_copy = spool::has_failed(*directories, id);
  }
  row.progress = infer_progress(answer ? &*answer : nullptr, has_failed_copy,
                                row.finished_at.value_or(wall_now()));
  row.submitted_at = row.progress.changed_at;
  if (!is_final(row.progress.state)) {
    row.finished_at.reset();
  } else if (!row.finished_at) {
    row.finished_at = row.progress.changed_at;
  }
  // Nobody has begun anything with it.
  if (row.progress.state == RequestState::kPolling && !answer) {
    row.progress.state = RequestState::kNew;
    row.progress.attempt = 0;
  }
  return std::optional<RequestRow>(std::move(row));
}

Result<std::optional<RequestRow>> RootLedger::find_or_infer(std::string_view id) {
  TRY_ASSIGN(auto row, store_->find(id));
  if (row) return row;
  return infer(id);
}

Result<void> RootLedger::walk(
    spool::NameList names,
    const std::function<Result<bool>(const RequestRow&, bool inferred)>& visit) {
  liveness_.clear();
  std::size_t next = 0;
  std::size_t sorted = 0;
  // Often only the first few are asked for.
  const auto has_next = [&] {
    if (next < sorted || next == names.size()) return next < names.size();
    const std::size_t count = sorted == 0 ? kPage : names.size();
    names.sort_some(sorted, count);
    sorted = std::min(names.size(), sorted + count);
    return true;
  };
  // Rowless requests up to `end` (all when null).
  const auto visit_rowless = [&](const std::string* end) -> Result<bool> {
    for (; has_next() && (end == nullptr || names[next] < *end); ++next) {
      TRY_ASSIGN(const auto row, infer_listed(names[next]));
      if (!row) continue;
      TRY_ASSIGN(const bool goes_on, visit(*row, true));
      if (!goes_on) return false;
    }
    if (end != nullptr && has_next() && names[next] == *end) ++next;
    return true;
  };
  std::string after;
  for (;;) {
    TRY_ASSIGN(const auto rows, store_->page({.state = std::nullopt,
                                              .batch = {},
                                              .only_open = false,
                                              .only_uncopied = false,
                                              .with_hidden = true},
                                             after, static_cast<int>(kPage)));
    for (const RequestRow& row : rows) {
      TRY_ASSIGN(bool goes_on, visit_rowless(&row.request_id));
      if (goes_on) {
        TRY_ASSIGN(goes_on, visit(row, false));
      }
      if (!goes_on) return {};
    }
    if (rows.size() < kPage) break;
    after = rows.back().request_id;
  }
  TRY(visit_rowless(nullptr));
  return {};
}

Result<void> RootLedger::for_each(const EntryFilter& filter,
                                  const std::function<bool(const RequestEntry&)>& visit) {
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  return for_each(filter, std::move(names), visit);
}

Result<void> RootLedger::for_each(const EntryFilter& filter, spool::NameList names,
                                  const std::function<bool(const RequestEntry&)>& visit) {
  std::int64_t visited = 0;
  return walk(std::move(names), [&](const RequestRow& row, bool is_inferred) -> Result<bool> {
    if (row.is_control || row.collected_at) return true;
    if (filter.state && *filter.state != row.progress.state) return true;
    if (!filter.batch.empty() && filter.batch != row.batch) return true;
    RequestEntry entry = entry_of(row);
    entry.is_inferred = is_inferred;
    if (!visit(entry)) return false;
    return filter.limit == 0 || ++visited < filter.limit;
  });
}

Result<std::optional<RequestEntry>> RootLedger::find(std::string_view id) {
  TRY_ASSIGN(const auto row, find_or_infer(id));
  if (!row) return std::optional<RequestEntry>();
  return std::optional(entry_of(*row));
}

Result<RequestDetails> RootLedger::show(std::string_view id) {
  liveness_.clear();
  RequestDetails details;
  TRY_ASSIGN(const auto stored, store_->find(id));
  TRY_ASSIGN(const auto row, stored ? Result<std::optional<RequestRow>>(stored) : infer(id));
  const spool::Layout& layout = root_.layout();
  set_if_there(details.request, details.files, layout.request(id));
  if (auto answer = last_answer(layout, id, RequestState::kSuccess)) {
    details.response = std::move(answer->bytes);
    details.files.push_back(std::move(answer->path));
  }
  set_if_there(details.failed, details.files, layout.failed(id));
  set_if_there(details.eval, details.files, layout.eval(id));
  if (::access(layout.events(id).c_str(), F_OK) == 0) details.files.push_back(layout.events(id));
  if (!row) {
    return fail(
        ErrorCode::kNotFound,
        fmt::format("{}: no such request in {}; `filecall status` lists them", id, layout.root()));
  }
  details.entry = entry_of(*row);
  details.entry.is_inferred = !stored;
  if (details.entry.command.empty() && details.request) {
    auto parsed = parse_request(*details.request, id);
    if (parsed) details.entry.command = parsed->command;
  }
  return details;
}

}  // namespace filecall::client
