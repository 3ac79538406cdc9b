// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/service/root_rows.h"
#include "client/store/request_row.h"
#include "client/store/state_store.h"
#include "ipc/durability.h"
#include "spool/root.h"

namespace filecall::client {

struct GcOptions {
  Duration older_than = Duration::zero();  ///< Since the final state was reached.
  bool dry_run = false;
};
struct GcReport {
  std::int64_t requests = 0;  ///< Collected.
  std::int64_t files = 0;     ///< Removed.
  std::int64_t bytes = 0;
  std::int64_t kept = 0;  ///< Final, but too young or owned.
};

/// One removal of what final requests left: the files go (the request first, so that nothing can
/// run again), a tombstone stays in the database. Blocking; one thread.
class Collection {
 public:
  /// All must outlive it. `durability`: of the removal of requests.
  Collection(const spool::Root& root, StateStore& store, RootRows& rows, Durability durability,
             const GcOptions& options)
      : root_(root), store_(store), rows_(rows), durability_(durability), options_(options) {}

  Result<GcReport> run();

 private:
  Result<std::vector<std::string>> list();
  /// Removes the files of final requests and leaves tombstones; empties `rows`.
  Result<void> collect(std::vector<RequestRow>& rows);
  Result<void> remove_answers(const RequestRow& row);
  Result<void> remove_file(const std::string& path);
  Result<void> leave_tombstones(std::vector<RequestRow>& rows);

  const spool::Root& root_;
  StateStore& store_;
  RootRows& rows_;
  const Durability durability_;
  const GcOptions options_;
  GcReport report_;
};

}  // namespace filecall::client
