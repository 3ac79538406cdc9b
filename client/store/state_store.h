// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/store/request_row.h"
#include "client/store/row_writer.h"
#include "client/store/sqlite.h"
#include "ipc/durability.h"

namespace filecall::client {

/// Whether the client of that name lives.
using OwnerLiveness = std::function<bool(std::string_view owner)>;

/// The outcome of asking for a request.
struct Claim {
  enum class Kind : std::uint8_t {
    kMine,       ///< To be put() with us as owner, in the same transaction; new or continued.
    kFinal,      ///< It ended earlier.
    kForeign,    ///< Another live client drives it.
    kCollected,  ///< It ended and gc removed its files.
  };
  Kind kind = Kind::kMine;
  bool is_new = false;  ///< There was no row.
  RequestRow row;
};

struct RowFilter {
  std::optional<RequestState> state{};
  std::string_view batch{};    ///< Empty: any.
  bool only_open = false;      ///< Not final.
  bool only_uncopied = false;  ///< GAVE_UP whose copy in failed/ is not complete.
  bool with_hidden = false;    ///< Control requests and tombstones too.
};

enum class RowKind : std::uint8_t {
  kRequest,
  kControl,    ///< What a client sends for itself, such as a cancel.
  kTombstone,  ///< gc removed its files.
};

/// The client's durable memory: `client/state.db`, SQLite in WAL mode; an instance belongs to one
/// thread at a time, any number of processes. A file that is damaged is set aside under another
/// name, never overwritten, and the state is inferred from the files again.
class StateStore {
 public:
  /// `durability` full: a commit is on stable storage; otherwise it survives a killed process.
  /// Failures: failed_precondition (a newer program's file), permission_denied, unavailable.
  static Result<std::unique_ptr<StateStore>> open(const std::string& path, Durability durability,
                                                  WallTime now);

  /// What the file says now, of which nothing is changed: for a look at another user's root. An
  /// empty one when there is no file. Failures: open_database_copy's.
  static Result<std::unique_ptr<StateStore>> open_copy(const std::string& path);

  /// One that is gone with the object: for tests of what uses it.
  static Result<std::unique_ptr<StateStore>> open_in_memory();

  /// What was repaired while opening; for people.
  const std::vector<std::string>& notices() const { return notices_; }

  /// Groups what follows into one commit. Takes the write lock, waiting for other clients.
  Result<void> begin();
  Result<void> commit();
  void rollback();

  /// Whether a statement below fails outside a transaction or in one is the caller's to handle:
  /// after a failure in a transaction, rollback().
  Result<std::optional<RequestRow>> find(std::string_view id);
  /// Inserts those whose ids are free, and says for each whether it was; a row that was there is
  /// not touched. Distinct ids.
  Result<std::vector<bool>> insert_all(std::span<const RequestRow* const> rows);
  /// Inserts or replaces.
  Result<void> put(const RequestRow& row);
  Result<void> put_all(std::span<const RequestRow* const> rows);
  Result<void> remove(std::string_view id);
  /// Removes the tombstones that were left before `limit`, and says how many; `only_counts`: does
  /// not remove them.
  Result<std::int64_t> forget_collected(WallTime limit, bool only_counts);
  /// Decides whether `fresh.owner` may drive the request: not when it is final or another live
  /// client's. `row` is the stored one with the new owner, or `fresh` when there is none. Writes
  /// nothing: the caller puts the row, in the same transaction.
  Result<Claim> claim(const RequestRow& fresh, const OwnerLiveness& is_alive);

  /// Asks the live owner of a request to cancel it.
  Result<void> request_cancel(std::string_view id, WallTime now);
  /// All cancel requests; each owner takes out its own.
  Result<std::vector<std::string>> cancel_requests();
  Result<void> forget_cancel_request(std::string_view id);

  /// Rows in order of id after `after_id`, at most `limit`.
  Result<std::vector<RequestRow>> page(const RowFilter& filter, std::string_view after_id,
                                       int limit);
  /// Every row, in order of id.
  Result<void> each_id(
      const std::function<void(std::string_view id, RequestState state, RowKind kind)>& visit);

 private:
  struct Statements;
  StateStore(Database database, std::vector<std::string> notices);
  Result<void> prepare();

  Database database_;
  std::unique_ptr<Statements> statements_;
  std::unique_ptr<RowWriter> writer_;
  std::vector<std::string> notices_;

 public:
  ~StateStore();
};

}  // namespace filecall::client
