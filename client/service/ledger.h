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
#include "client/core/request_state.h"
#include "client/service/request_count.h"
#include "spool/publish.h"

namespace filecall::client {

/// One request as people see it: its row in the state database or, where there is none, what the
/// files show.
struct RequestEntry {
  std::string request_id;
  std::string command;  ///< Empty for an inferred entry whose request file was not read.
  RequestState state = RequestState::kNew;
  int attempt = 0;  ///< Attempts begun; 0 for NEW.
  std::optional<ErrorCode> error_code;
  std::string error_message;
  std::string batch;  ///< Empty: none.
  WallTime submitted_at{};
  WallTime updated_at{};
  std::optional<WallTime> due_at;       ///< WAITING: next attempt.
  std::optional<WallTime> finished_at;  ///< Final states.
  std::int64_t queued_ms = 0;
  std::int64_t run_ms = 0;
  Spend spend;                  ///< Of all attempts; nothing for an inferred entry.
  std::string owner;            ///< The client that drives it; empty: nobody.
  bool owner_is_alive = false;  ///< False: its owner died; the next run or watch takes it.
  bool is_inferred = false;     ///< No row; read from the files.
};

struct EntryFilter {
  std::optional<RequestState> state{};
  std::string batch{};     ///< Empty: any.
  std::int64_t limit = 0;  ///< 0: all.
};

/// Everything about one request.
struct RequestDetails {
  RequestEntry entry;
  std::optional<std::string> request;   ///< Text of requests/{id}.json.
  std::optional<std::string> response;  ///< Text of responses/{id}.json.
  std::optional<std::string> failed;    ///< Text of failed/{id}.json.
  std::optional<std::string> eval;      ///< Text of eval/{id}.json.
  std::vector<std::string> files;       ///< Paths of all files that exist for it.
};

/// What an operation did to each id it was given.
struct IdResult {
  std::string request_id;
  std::optional<Error> error;  ///< Absent: done.
};

enum class CancelEffect : std::uint8_t {
  kCancelled,  ///< It is GAVE_UP now.
  kAsked,  ///< A live client drives it, or no worker answered yet: the cancel request is dropped.
};

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

struct LedgerOptions {
  std::string root;
  bool allow_shared_root = false;
  spool::Durability durability = spool::Durability::kFull;
  /// False: a missing root is not created and fails with not_found.
  bool create = false;
};

/// The requests of a root, asked about and changed between runs: status, show, retry, cancel, gc.
/// One thread. Other clients may work on the root at the same time.
class Ledger {
 public:
  /// Failures: the root's (see spool::Root), the database's.
  static Result<std::unique_ptr<Ledger>> open(const LedgerOptions& options);
  virtual ~Ledger() = default;

  /// What was repaired or set aside while opening; for people. Usually empty.
  virtual const std::vector<std::string>& notices() const = 0;

  /// See count_requests().
  virtual Result<RequestCount> count(const CountOptions& options) = 0;
  /// Entries in order of id, rows and files merged; `visit` returns false to stop. Collected
  /// requests and the client's own control requests are left out.
  virtual Result<void> for_each(const EntryFilter& filter,
                                const std::function<bool(const RequestEntry&)>& visit) = 0;
  /// The same with names that a count has read.
  virtual Result<void> for_each(const EntryFilter& filter, spool::NameList names,
                                const std::function<bool(const RequestEntry&)>& visit) = 0;
  /// nullopt: neither a row nor a file.
  virtual Result<std::optional<RequestEntry>> find(std::string_view id) = 0;
  /// not_found: neither a row nor a file.
  virtual Result<RequestDetails> show(std::string_view id) = 0;

  /// GAVE_UP -> NEW with attempts reset: the request is pending again. Per id failed_precondition
  /// (not given up; the message says what it is) or not_found.
  virtual Result<std::vector<IdResult>> retry(const std::vector<std::string>& ids) = 0;
  /// All that were given up. `batch` empty: of any batch.
  virtual Result<std::vector<IdResult>> retry_failed(std::string_view batch) = 0;

  /// Asks the worker to end it and waits up to `patience` for its answer.
  /// Failures: not_found, failed_precondition (already final).
  virtual Result<CancelEffect> cancel(std::string_view id, Duration patience) = 0;

  /// Removes the files of final requests (request first, so that nothing can run again) and leaves
  /// a tombstone in the database.
  virtual Result<GcReport> gc(const GcOptions& options) = 0;
};

}  // namespace filecall::client
