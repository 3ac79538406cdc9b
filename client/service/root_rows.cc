// SPDX-License-Identifier: MIT
#include "client/service/root_rows.h"

#include <algorithm>
#include <utility>

#include "base/stem.h"
#include "client/core/request_machine.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "spool/client_files.h"
#include "spool/lock.h"
#include "spool/own_response.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPage = 1024;

WallTime time_of(const spool::FileIdentity& identity) {
  return WallTime(Duration(identity.mtime_ns));
}

}  // namespace

bool RootRows::is_alive(const std::string& owner) {
  if (owner.empty()) return false;
  const auto [known, is_new] = owners_.try_emplace(owner, false);
  if (is_new) {
    known->second = spool::FileLock::is_held(root_.layout().client_lock(owner)).value_or(true);
  }
  return known->second;
}

Result<std::optional<RootRows::Found>> RootRows::find(std::string_view id) {
  // Else it would name a file of somewhere else.
  if (!is_valid_stem(id)) return std::optional<Found>();
  TRY_ASSIGN(auto row, store_.find(id));
  // Dropped again after gc removed what was there of that id: another request.
  if (row && row->collected_at && spool::has_request(*root_.directories(), id)) row.reset();
  const bool is_inferred = !row;
  const bool is_new = row && row->progress.state == RequestState::kNew;
  if (row) take_answer(*row);
  if (!row && spool::has_request(*root_.directories(), id)) {
    TRY_ASSIGN(row, infer_listed(id));
  }
  if (!row) return std::optional<Found>();
  const bool is_undriven = row->progress.state == RequestState::kGaveUp &&
                           (is_new || (is_inferred && !row->progress.copied));
  return std::optional(Found{std::move(*row), is_inferred, is_undriven});
}

void RootRows::take_answer(RequestRow& row) {
  if (row.progress.state != RequestState::kNew || row.is_control || row.collected_at) return;
  const auto file = spool::read_response_file(*root_.directories(), row.request_id);
  if (!file || !*file) return;
  const auto response = spool::read_own_response(*root_.directories(), (*file)->bytes,
                                                 row.request_id, AskedBy::kReader);
  if (!response) return;
  row.progress.state = response->is_success() ? RequestState::kSuccess : RequestState::kGaveUp;
  row.progress.attempt = 1;
  row.progress.error_code.reset();
  row.progress.error_message.clear();
  if (response->failure) {
    row.progress.error_code = response->failure->code;
    row.progress.error_message = response->failure->message;
  }
  row.finished_at = time_of((*file)->identity);
}

/// A root may hold millions, most of them successes: for those nothing but the response is opened.
Result<std::optional<RequestRow>> RootRows::infer_listed(std::string_view id) {
  const auto directories = root_.directories();
  RequestRow row;
  row.request_id = std::string(id);
  std::optional<Response> answer;
  std::optional<spool::FileIdentity> request;
  std::optional<spool::FileIdentity> failed;
  auto file = spool::read_response_file(*directories, id);
  if (file && *file) {
    auto response = spool::read_own_response(*directories, (*file)->bytes, id, AskedBy::kAnyone);
    if (response && response->timing) {
      row.queued_ms = response->timing->queued_ms;
      row.run_ms = response->timing->run_ms;
    }
    row.finished_at = time_of((*file)->identity);
    if (response) answer = std::move(*response);
  }
  if (!answer || !answer->is_success()) {
    request = spool::identify_request(*directories, id);
    if (!request) return std::optional<RequestRow>();  // Removed.
    failed = spool::identify_failed(*directories, id);
  }
  const WallTime changed_at = row.finished_at ? *row.finished_at
                              : failed        ? time_of(*failed)
                                              : time_of(*request);
  row.progress = infer_progress(answer ? &*answer : nullptr, failed.has_value(), changed_at);
  // Nobody has recorded when: what its file says, and else what the worker has seen.
  row.submitted_at = request                    ? time_of(*request)
                     : answer && answer->timing ? answer->timing->received_at
                                                : row.progress.changed_at;
  if (row.progress.state == RequestState::kPolling && answer) {
    row.progress.state = RequestState::kGaveUp;
  }
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

Result<void> RootRows::walk(
    spool::NameList names,
    const std::function<Result<bool>(const RequestRow&, bool is_inferred)>& visit) {
  forget_owners();
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
    return true;
  };
  // A tombstone's name is there when somebody has dropped another request of it since.
  const auto is_replaced = [&](const RequestRow& row) {
    if (!has_next() || names[next] != row.request_id) return false;
    if (!row.collected_at) ++next;
    return row.collected_at.has_value();
  };
  std::string after;
  for (;;) {
    TRY_ASSIGN(auto rows, store_.page({.state = std::nullopt,
                                       .batch = {},
                                       .only_open = false,
                                       .only_uncopied = false,
                                       .with_hidden = true},
                                      after, static_cast<int>(kPage)));
    for (RequestRow& row : rows) {
      take_answer(row);
      TRY_ASSIGN(bool goes_on, visit_rowless(&row.request_id));
      if (goes_on && !is_replaced(row)) {
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

}  // namespace filecall::client
