// SPDX-License-Identifier: MIT
#include "client/store/state_store.h"

#include "base/stem.h"
#include "client/store/database_copy.h"
#include "client/store/database_file.h"
#include "client/store/row_codec.h"
#include "client/store/state_schema.h"

namespace filecall::client {

struct StateStore::Statements {
  Statement begin;
  Statement commit;
  Statement rollback;
  Statement find;
  Statement remove;
  Statement page;
  Statement page_open;
  Statement page_uncopied;
  Statement ids;
  Statement request_cancel;
  Statement cancel_requests;
  Statement forget_cancel_request;
};

StateStore::StateStore(Database database, std::vector<std::string> notices)
    : database_(std::move(database)), notices_(std::move(notices)) {}
StateStore::~StateStore() = default;

Result<std::unique_ptr<StateStore>> StateStore::open(const std::string& path, Durability durability,
                                                     WallTime now) {
  std::vector<std::string> notices;
  TRY_ASSIGN(Database database, open_state_database(path, durability, now, notices));
  std::unique_ptr<StateStore> store(new StateStore(std::move(database), std::move(notices)));
  TRY(store->prepare());
  return store;
}

Result<std::unique_ptr<StateStore>> StateStore::open_copy(const std::string& path) {
  auto database = open_database_copy(path);
  if (!database && database.error().code == ErrorCode::kNotFound) return open_in_memory();
  if (!database) return Unexpected(database.error());
  TRY(migrate_state_schema(*database));
  std::unique_ptr<StateStore> store(new StateStore(std::move(*database), {}));
  TRY(store->prepare());
  return store;
}

Result<std::unique_ptr<StateStore>> StateStore::open_in_memory() {
  TRY_ASSIGN(Database database, Database::open(":memory:"));
  TRY(migrate_state_schema(database));
  std::unique_ptr<StateStore> store(new StateStore(std::move(database), {}));
  TRY(store->prepare());
  return store;
}

Result<void> StateStore::prepare() {
  // What is written here is a RequestState's name. To see that it is one of five, SQLite would
  // build a table of them for each row, which takes as long as the row itself; a check of the whole
  // file still looks at it, before this, and so do other programs that write.
  TRY(database_.execute("PRAGMA ignore_check_constraints = ON"));
  const std::string select = "SELECT " + std::string(kRowColumns) + " FROM requests ";
  const std::string order = " ORDER BY request_id LIMIT ?5";
  const std::string common =
      " (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR batch = ?3)"
      " AND (?4 OR (control = 0 AND collected_at_ms IS NULL)) AND is_stem(request_id)";
  TRY_ASSIGN(auto begin, database_.prepare("BEGIN IMMEDIATE"));
  TRY_ASSIGN(auto commit, database_.prepare("COMMIT"));
  TRY_ASSIGN(auto rollback, database_.prepare("ROLLBACK"));
  TRY_ASSIGN(auto find, database_.prepare(select + "WHERE request_id = ?1"));
  TRY_ASSIGN(auto remove, database_.prepare("DELETE FROM requests WHERE request_id = ?1"));
  TRY_ASSIGN(auto page, database_.prepare(select + "WHERE request_id > ?1 AND" + common + order));
  TRY_ASSIGN(auto page_open,
             database_.prepare(select + "INDEXED BY open_requests WHERE finished_at_ms IS NULL" +
                               " AND request_id > ?1 AND" + common + order));
  TRY_ASSIGN(auto page_uncopied,
             database_.prepare(select + "INDEXED BY uncopied_requests WHERE state = 'GAVE_UP'" +
                               " AND copied = 0 AND request_id > ?1 AND" + common + order));
  TRY_ASSIGN(auto ids, database_.prepare("SELECT request_id, state, "
                                         "CASE WHEN control != 0 THEN 1 "
                                         "WHEN collected_at_ms IS NOT NULL THEN 2 ELSE 0 END "
                                         "FROM requests"));
  TRY_ASSIGN(auto request_cancel,
             database_.prepare("INSERT OR REPLACE INTO cancel_wishes VALUES (?1, ?2)"));
  TRY_ASSIGN(auto cancel_requests, database_.prepare("SELECT request_id FROM cancel_wishes"));
  TRY_ASSIGN(auto forget_cancel_request,
             database_.prepare("DELETE FROM cancel_wishes WHERE request_id = ?1"));
  TRY_ASSIGN(writer_, RowWriter::prepare(database_));
  statements_ = std::make_unique<Statements>(Statements{
      std::move(begin), std::move(commit), std::move(rollback), std::move(find), std::move(remove),
      std::move(page), std::move(page_open), std::move(page_uncopied), std::move(ids),
      std::move(request_cancel), std::move(cancel_requests), std::move(forget_cancel_request)});
  return {};
}

Result<void> StateStore::begin() { return statements_->begin.run(); }
Result<void> StateStore::commit() { return statements_->commit.run(); }
void StateStore::rollback() {
  // Fails only when SQLite has rolled back by itself.
  (void)statements_->rollback.run();
}

Result<std::optional<RequestRow>> StateStore::find(std::string_view id) {
  if (!is_valid_stem(id)) return std::optional<RequestRow>();
  Statement& statement = statements_->find;
  statement.bind(1, id);
  TRY_ASSIGN(const bool has_row, statement.step());
  std::optional<RequestRow> row;
  if (has_row) row = read_row(statement);
  statement.reset();
  return row;
}

Result<std::int64_t> StateStore::forget_collected(WallTime limit, bool only_counts) {
  const std::int64_t limit_ms = to_ms(limit.time_since_epoch());
  TRY_ASSIGN(Statement count, database_.prepare("SELECT COUNT(*) FROM requests WHERE control = 0 "
                                                "AND collected_at_ms < ?1"));
  count.bind(1, limit_ms);
  TRY_ASSIGN(const bool has_row, count.step());
  const std::int64_t forgotten = has_row ? count.integer(0) : 0;
  count.reset();
  if (only_counts) return forgotten;
  TRY_ASSIGN(Statement forget,
             database_.prepare("DELETE FROM requests WHERE collected_at_ms < ?1"));
  forget.bind(1, limit_ms);
  TRY(forget.run());
  return forgotten;
}

Result<void> StateStore::put(const RequestRow& row) {
  const RequestRow* const rows[] = {&row};
  return writer_->put(rows);
}

Result<void> StateStore::put_all(std::span<const RequestRow* const> rows) {
  return writer_->put(rows);
}

Result<std::vector<bool>> StateStore::insert_all(std::span<const RequestRow* const> rows) {
  return writer_->insert(rows);
}

Result<void> StateStore::remove(std::string_view id) {
  return statements_->remove.bind(1, id).run();
}

Result<Claim> StateStore::claim(const RequestRow& fresh, const OwnerLiveness& is_alive) {
  TRY_ASSIGN(std::optional<RequestRow> row, find(fresh.request_id));
  if (!row) {
    return Claim{Claim::Kind::kMine, true, fresh};
  }
  if (row->collected_at) return Claim{Claim::Kind::kCollected, false, std::move(*row)};
  if (row->progress.is_settled()) return Claim{Claim::Kind::kFinal, false, std::move(*row)};
  if (!row->owner.empty() && row->owner != fresh.owner && is_alive(row->owner)) {
    return Claim{Claim::Kind::kForeign, false, std::move(*row)};
  }
  row->owner = fresh.owner;
  if (!fresh.batch.empty()) row->batch = fresh.batch;
  return Claim{Claim::Kind::kMine, false, std::move(*row)};
}

Result<std::vector<RequestRow>> StateStore::page(const RowFilter& filter, std::string_view after_id,
                                                 int limit) {
  Statement& statement = filter.only_uncopied ? statements_->page_uncopied
                         : filter.only_open   ? statements_->page_open
                                              : statements_->page;
  statement.bind(1, after_id);
  statement.bind_or_null(2, filter.state ? to_string(*filter.state) : std::string_view());
  statement.bind_or_null(3, filter.batch);
  statement.bind(4, filter.with_hidden ? 1 : 0);
  statement.bind(5, limit);
  std::vector<RequestRow> rows;
  for (;;) {
    TRY_ASSIGN(const bool has_row, statement.step());
    if (!has_row) break;
    rows.push_back(read_row(statement));
  }
  statement.reset();
  return rows;
}

Result<void> StateStore::request_cancel(std::string_view id, WallTime now) {
  return statements_->request_cancel.bind(1, id).bind(2, to_ms(now.time_since_epoch())).run();
}

Result<std::vector<std::string>> StateStore::cancel_requests() {
  std::vector<std::string> found;
  for (;;) {
    TRY_ASSIGN(const bool has_row, statements_->cancel_requests.step());
    if (!has_row) break;
    std::string id = statements_->cancel_requests.text(0);
    if (is_valid_stem(id)) found.push_back(std::move(id));
  }
  statements_->cancel_requests.reset();
  return found;
}

Result<void> StateStore::forget_cancel_request(std::string_view id) {
  return statements_->forget_cancel_request.bind(1, id).run();
}

Result<void> StateStore::each_id(
    const std::function<void(std::string_view id, RequestState state, RowKind kind)>& visit) {
  Statement& statement = statements_->ids;
  for (;;) {
    TRY_ASSIGN(const bool has_row, statement.step());
    if (!has_row) break;
    // The table's CHECK admits no other name.
    const auto state = parse_request_state(statement.text_view(1)).value_or(RequestState::kNew);
    if (!is_valid_stem(statement.text_view(0))) continue;
    visit(statement.text_view(0), state, static_cast<RowKind>(statement.integer(2)));
  }
  statement.reset();
  return {};
}

}  // namespace filecall::client
