// SPDX-License-Identifier: MIT
#include "client/service/collection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "client/service/request_count.h"
#include "os/clock.h"
#include "os/io.h"
#include "spool/layout.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr std::size_t kCollectedAtOnce = 256;

}  // namespace

Result<GcReport> Collection::run() {
  // Listed first and removed afterwards: the walk must not see its own traces.
  TRY_ASSIGN(const std::vector<std::string> ids, list());
  std::vector<RequestRow> rows;
  for (const std::string& id : ids) {
    TRY_ASSIGN(auto found, rows_.find(id));
    if (!found || !is_final(found->row.progress.state)) continue;  // Retried meanwhile.
    rows.push_back(std::move(found->row));
    if (rows.size() < kCollectedAtOnce) continue;
    TRY(collect(rows));
  }
  TRY(collect(rows));
  return report_;
}

Result<std::vector<std::string>> Collection::list() {
  const WallTime newest = wall_now() - options_.older_than;
  std::vector<std::string> ids;
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  TRY(rows_.walk(std::move(names), [&](const RequestRow& row, bool) -> Result<bool> {
    if (row.collected_at || !is_final(row.progress.state)) return true;
    if (row.finished_at.value_or(row.progress.changed_at) > newest ||
        (row.progress.state == RequestState::kGaveUp && !row.progress.copied)) {
      if (!row.is_control) ++report_.kept;
      return true;
    }
    ids.push_back(row.request_id);
    return true;
  }));
  return ids;
}

Result<void> Collection::collect(std::vector<RequestRow>& rows) {
  if (rows.empty()) return {};
  // The request goes first and durably: a request without a response is pending.
  for (const RequestRow& row : rows) TRY(remove_file(root_.layout().request(row.request_id)));
  if (!options_.dry_run && durability_ == Durability::kFull) {
    TRY(spool::sync_directory(root_.directories()->requests.get()));
  }
  for (const RequestRow& row : rows) {
    TRY(remove_answers(row));
    if (!row.is_control) ++report_.requests;
  }
  if (!options_.dry_run) TRY(leave_tombstones(rows));
  rows.clear();
  return {};
}

Result<void> Collection::remove_answers(const RequestRow& row) {
  const spool::Layout& layout = root_.layout();
  const std::string& id = row.request_id;
  TRY(remove_file(layout.response(id)));
  TRY(remove_file(layout.client_answer(id)));
  TRY(remove_file(layout.failed(id)));
  TRY(remove_file(layout.eval(id)));
  TRY(remove_file(layout.events(id)));
  for (int attempt = 1; attempt <= row.progress.attempt; ++attempt) {
    TRY(remove_file(layout.failed() + "/" + spool::Layout::unreadable_name(id, attempt)));
  }
  return {};
}

// Removes it and counts it; one that is not there is fine.
Result<void> Collection::remove_file(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return fail_errno(errno, path);
  }
  if (!options_.dry_run && ::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return fail_errno(errno, path);
  }
  ++report_.files;
  report_.bytes += status.st_size;
  return {};
}

Result<void> Collection::leave_tombstones(std::vector<RequestRow>& rows) {
  TRY(store_.begin());
  for (RequestRow& row : rows) {
    row.collected_at = wall_now();
    if (const auto put = store_.put(row); !put) {
      store_.rollback();
      return put;
    }
  }
  return store_.commit();
}

}  // namespace filecall::client
