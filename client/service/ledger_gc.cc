// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "client/service/ledger_base.h"
#include "os/clock.h"
#include "os/io.h"
#include "spool/layout.h"

namespace filecall::client {
namespace {

constexpr std::size_t kCollectedAtOnce = 256;

// Removes a file and counts it; one that is not there is fine.
Result<void> remove_file(const std::string& path, bool dry_run, GcReport& report) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return fail_errno(errno, path);
  }
  if (!dry_run && ::unlink(path.c_str()) != 0 && errno != ENOENT) return fail_errno(errno, path);
  ++report.files;
  report.bytes += status.st_size;
  return {};
}

}  // namespace

Result<GcReport> RootLedger::gc(const GcOptions& options) {
  GcReport report;
  const WallTime newest = wall_now() - options.older_than;
  // Collected first and removed afterwards: the walk must not see its own traces.
  std::vector<std::string> ids;
  TRY_ASSIGN(spool::NameList names, read_request_names(root_));
  TRY(walk(std::move(names), [&](const RequestRow& row, bool) -> Result<bool> {
    if (row.collected_at || !is_final(row.progress.state)) return true;
    if (row.finished_at.value_or(row.progress.changed_at) > newest ||
        (row.progress.state == RequestState::kGaveUp && !row.progress.copied)) {
      if (!row.is_control) ++report.kept;
      return true;
    }
    ids.push_back(row.request_id);
    return true;
  }));
  std::vector<RequestRow> rows;
  for (const std::string& id : ids) {
    TRY_ASSIGN(auto row, find_or_infer(id));
    if (!row || !is_final(row->progress.state)) continue;  // Retried meanwhile.
    rows.push_back(std::move(*row));
    if (rows.size() < kCollectedAtOnce) continue;
    TRY(collect(rows, options.dry_run, report));
  }
  TRY(collect(rows, options.dry_run, report));
  return report;
}

Result<void> RootLedger::collect(std::vector<RequestRow>& rows, bool dry_run, GcReport& report) {
  if (rows.empty()) return {};
  const spool::Layout& layout = root_.layout();
  // The request goes first and durably: a request without a response is pending.
  for (const RequestRow& row : rows) {
    TRY(remove_file(layout.request(row.request_id), dry_run, report));
  }
  if (!dry_run && options_.durability == spool::Durability::kFull) {
    TRY(spool::sync_directory(root_.directories()->requests.get()));
  }
  for (const RequestRow& row : rows) {
    const std::string& id = row.request_id;
    TRY(remove_file(layout.response(id), dry_run, report));
    TRY(remove_file(layout.client_answer(id), dry_run, report));
    TRY(remove_file(layout.failed(id), dry_run, report));
    TRY(remove_file(layout.eval(id), dry_run, report));
    TRY(remove_file(layout.events(id), dry_run, report));
    for (int attempt = 1; attempt <= row.progress.attempt; ++attempt) {
      TRY(remove_file(layout.failed() + "/" + spool::Layout::unreadable_name(id, attempt), dry_run,
                      report));
    }
    if (!row.is_control) ++report.requests;
  }
  if (!dry_run) {
    TRY(store_->begin());
    for (RequestRow& row : rows) {
      row.collected_at = wall_now();
      if (const auto put = store_->put(row); !put) {
        store_->rollback();
        return put;
      }
    }
    TRY(store_->commit());
  }
  rows.clear();
  return {};
}

}  // namespace filecall::client
