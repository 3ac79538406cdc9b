// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/runs/run_draft.h"
#include "client/runs/run_record.h"
#include "ipc/durability.h"
#include "os/unique_fd.h"
#include "spool/layout.h"
#include "spool/lock.h"

namespace filecall::client {

/// A root's runs/: `{id}.json` for each run, `{id}.items.jsonl` beside it, and `latest`, which
/// holds the id of the run that began last. Records are never changed, so they are read without a
/// lock. Blocking; one thread.
class RunFiles {
 public:
  explicit RunFiles(spool::Layout layout) : layout_(std::move(layout)) {}

  struct Begun {
    RunRecord record;
    bool is_new = true;  ///< False: the same was begun before and goes on.
  };
  /// Tells of all requests of a run.
  using ListRequests = std::function<Result<void>(RunDraft& draft)>;
  /// Finds the run of that plan and list, or makes it; it is the latest then.
  Result<Begun> begin(const RunPlanText& plan, const ListRequests& list, WallTime now,
                      Durability durability);

  /// Newest last. `unreadable`: says why, of each record that is none; they are left out.
  Result<std::vector<RunRecord>> list(std::vector<std::string>* unreadable = nullptr) const;
  /// What began last; nullopt: nothing was run here.
  Result<std::optional<RunRecord>> latest() const;
  /// The latest run of a batch of that name; nullopt: there is none.
  Result<std::optional<RunRecord>> latest_of(std::string_view name) const;
  /// `name`: an id, the beginning or the end of one, `latest`, or `previous` (what began
  /// directly before it).
  /// Failures: not_found, and invalid_argument when several fit.
  Result<RunRecord> find(std::string_view name) const;
  /// Removes the record and the list; answers stay. `name`: as for find(). The id of what was
  /// removed. Failures: find()'s; unavailable, it goes on.
  Result<std::string> remove(std::string_view name);
  /// Says that this process drives the run, until the lock is destroyed or the process dies.
  /// unavailable: another one does.
  Result<spool::FileLock> lock(std::string_view run_id) const;
  bool goes_on(std::string_view run_id) const;

 private:
  Result<std::vector<std::string>> ids() const;
  Result<RunRecord> read(std::string_view run_id) const;
  Result<std::optional<RunRecord>> find_digest(std::string_view digest) const;
  std::string latest_id() const;

  spool::Layout layout_;
};

}  // namespace filecall::client
