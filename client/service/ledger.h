// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/channel/directory_channel.h"
#include "client/core/request_state.h"
#include "client/service/collection.h"
#include "client/service/request_changes.h"
#include "client/service/request_count.h"
#include "client/service/request_editor.h"
#include "client/service/root_rows.h"
#include "client/store/state_store.h"
#include "ipc/json.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::client {

/// One request as people see it: its row in the state database or, where there is none, what the
/// files show: then without a command if the request file was not read, and without use.
struct RequestEntry : RequestFacts {
  std::string batch;  ///< Empty: none.
  WallTime updated_at{};
  std::optional<WallTime> due_at;       ///< WAITING: next attempt.
  std::optional<WallTime> finished_at;  ///< Final states.
  std::string owner;                    ///< The client that drives it; empty: nobody.
  bool owner_is_alive = false;          ///< False: its owner died; the next run or watch takes it.
  bool is_inferred = false;             ///< No row; read from the files.
  bool is_undriven = false;             ///< See RootRows::Found; only find() says it.
  bool is_collected = false;            ///< Its files were removed by gc.
};

struct EntryFilter {
  std::optional<RequestState> state{};
  std::string batch{};     ///< Its name, see BatchMembers; empty: any.
  std::int64_t limit = 0;  ///< 0: all.

  bool admits_all() const { return !state && batch.empty(); }
};

/// Everything about one request.
struct RequestDetails {
  RequestEntry entry;
  std::optional<std::string> request;   ///< Text of requests/{id}.json.
  std::optional<std::string> response;  ///< Text of responses/{id}.json.
  std::optional<std::string> failed;    ///< Text of failed/{id}.json.
  std::optional<std::string> eval;      ///< Text of eval/{id}.json.
  std::vector<std::string> files;       ///< Paths of all files that exist for it.
  /// Of a request that is a part of a conversation: all of its turns, see transcript_of(); null:
  /// it is none, as far as the latest run of its batch says. find_turns() fills it.
  Json turns{};
};

struct LedgerOptions {
  std::string root;
  bool allow_shared_root = false;
  Durability durability = Durability::kFull;
  /// False: a missing root is not created and fails with not_found.
  bool create = false;
  /// Nothing but looks: in another user's root nothing is made or changed then, since the owner
  /// could not write what this user makes. What changes requests must not be asked.
  bool only_reads = false;
};

/// The requests of a root, asked about and changed between runs: status, show, retry, cancel, gc.
/// One thread; blocking. Other clients may work on the root at the same time.
class Ledger {
 public:
  /// Failures: the root's (see spool::Root), the database's.
  static Result<std::unique_ptr<Ledger>> open(const LedgerOptions& options);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// What was repaired or set aside while opening; for people. Usually empty.
  const std::vector<std::string>& notices() const { return store_->notices(); }

  /// See count_requests().
  Result<RequestCount> count(CountOptions options) {
    options.remembers = options.remembers && !is_guest_;
    return count_requests(root_, *store_, options);
  }
  /// Those that were given up, as far as they are found without opening every answer: rows, and
  /// what failed/ names. `limit` of them at most. `visit` returns false to stop.
  Result<void> each_failure(std::string_view batch, std::int64_t limit,
                            const std::function<bool(const RequestEntry&)>& visit);
  /// The states of the entries that the filter admits, whatever its limit; each is looked at.
  Result<LedgerCounts> count_matching(EntryFilter filter);
  /// Entries in order of id, rows and files merged; `visit` returns false to stop. Collected
  /// requests and the client's own control requests are left out.
  Result<void> for_each(const EntryFilter& filter,
                        const std::function<bool(const RequestEntry&)>& visit);
  /// names(requests), not sorted.
  Result<spool::NameList> request_names() const { return read_request_names(root_); }
  /// Ids that begin so, sorted, `limit` at most: those of the database and, until the deadline,
  /// what requests/ names. For completion: an id may be missing.
  Result<std::vector<std::string>> ids_beginning(std::string_view prefix, std::size_t limit,
                                                 Deadline until);
  /// The same with names that a count has read.
  Result<void> for_each(const EntryFilter& filter, spool::NameList names,
                        const std::function<bool(const RequestEntry&)>& visit);
  /// nullopt: neither a row nor a file.
  Result<std::optional<RequestEntry>> find(std::string_view id);
  /// not_found: neither a row nor a file.
  Result<RequestDetails> show(std::string_view id);

  /// The command of a request that no client has read; empty: its file is gone or no request.
  std::string read_command(std::string_view id);

  /// Retries and cancels.
  RequestChanges& changes() { return changes_; }
  /// Edits what waits.
  RequestEditor& editor() { return editor_; }
  /// Removes the files of final requests.
  Result<GcReport> gc(const GcOptions& options, GcProgress on_progress = {});
  /// Of a ledger that only reads, since the disk is full: see Collection::make_room().
  Result<RemovedFiles> make_room(const GcOptions& options);

 private:
  Ledger(const LedgerOptions& options, spool::Root root, std::unique_ptr<StateStore> store);
  static Result<std::unique_ptr<Ledger>> open_as_guest(const LedgerOptions& options);
  RequestEntry entry_of(const RequestRow& row, bool is_inferred);
  Result<void> check_may_collect() const;

  LedgerOptions options_;
  bool is_guest_ = false;  ///< Another user's root: nothing is written there.
  spool::Root root_;
  DirectoryChannel channel_;
  std::unique_ptr<StateStore> store_;
  RootRows rows_;
  RequestChanges changes_;
  RequestEditor editor_;
};

}  // namespace filecall::client
