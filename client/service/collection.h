// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/service/file_removal.h"
#include "client/service/root_rows.h"
#include "client/store/request_row.h"
#include "client/store/state_store.h"
#include "ipc/durability.h"
#include "os/unique_fd.h"
#include "spool/name_list.h"
#include "spool/root.h"

namespace filecall::client {

struct GcOptions {
  Duration older_than = Duration::zero();  ///< Since the final state was reached.
  bool dry_run = false;
  bool with_failed = false;  ///< Those that were given up, too: nothing is left to retry then.
  /// Tombstones older than this go, too: the same requests run again then. Absent: they stay.
  std::optional<Duration> forget_after{};
};
struct GcReport {
  std::int64_t requests = 0;     ///< Collected.
  std::int64_t files = 0;        ///< Removed.
  std::int64_t bytes = 0;        ///< What the files took of the disk.
  std::int64_t kept = 0;         ///< Final, but too young or owned.
  std::int64_t kept_failed = 0;  ///< Given up, however long ago, without `with_failed`.
  /// What runs of agents need that have not ended, or ended on a budget: they can go on.
  std::int64_t kept_for_runs = 0;
  std::int64_t forgotten = 0;  ///< Tombstones removed.
};

/// Now and then: so many of these requests are removed, tombstones included.
using GcProgress = std::function<void(std::int64_t done, std::int64_t all)>;

/// One removal of what final requests left: the files go (the request first, so that nothing can
/// run again), a tombstone stays in the database. Blocking; one thread.
class Collection {
 public:
  /// All must outlive it. `durability`: of the removal of requests.
  Collection(const spool::Root& root, StateStore& store, RootRows& rows, Durability durability,
             const GcOptions& options, GcProgress on_progress = {})
      : root_(root),
        store_(store),
        rows_(rows),
        durability_(durability),
        options_(options),
        on_progress_(std::move(on_progress)) {}

  Result<GcReport> run();
  /// For a database that cannot be written because the disk is full, so that no tombstone can be
  /// left: removes some files whose loss changes no state, what streams left and the files of
  /// requests that a row says the end of. run() goes on with them, and does not count these files.
  Result<RemovedFiles> make_room();

 private:
  Result<std::vector<std::string>> list();
  /// Takes those out that runs of agents need.
  Result<void> keep_for_runs(std::vector<std::string>& ids);
  /// Which names there are in the directories that are empty for most requests.
  Result<void> read_rare_names();
  /// Removes final requests, and what else there is of those of the call before, which get
  /// tombstones; empties `rows`.
  Result<void> collect(std::vector<RequestRow>& rows);
  Result<void> remove_and_count(const std::vector<FileRemoval>& removals);
  void add_answers(const RequestRow& row, int responses_fd, std::vector<FileRemoval>& removals);
  void add_rare(const std::string& directory, const std::string& name,
                std::vector<FileRemoval>& removals);
  Result<void> leave_tombstones(std::vector<RequestRow>& rows);

  const spool::Root& root_;
  StateStore& store_;
  RootRows& rows_;
  const Durability durability_;
  const GcOptions options_;
  const GcProgress on_progress_;
  GcReport report_;
  std::vector<RequestRow> withdrawn_;  ///< Their requests are gone, durably, and nothing else.
  spool::NameHashSet inferred_;        ///< Of those that list() found: without a row.
  spool::NameHashSet rare_;            ///< Paths.
  std::map<std::string, UniqueFd> rare_folders_;
  /// Requests, those of earlier collections too: their grades and preferences go as well.
  spool::NameHashSet collected_;
  /// Names of unreadable responses, by stem: the database does not say their number, or says a
  /// wrong one: it may be anybody's work.
  std::multimap<std::string, std::string, std::less<>> unreadable_;
};

}  // namespace filecall::client
