// SPDX-License-Identifier: MIT
// A state database that somebody else wrote: bytes that are one or are none, the client's own with
// bytes changed, or the client's own after any SQL. Whatever it is: it is opened or there is an
// error; what a client does with it ends, and nothing outside the root is touched. The first byte
// says which of the three it is.
#include <fuzzer/FuzzedDataProvider.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/stem.h"
#include "client/service/entry_json.h"
#include "client/service/ledger.h"
#include "client/store/state_store.h"
#include "os/io.h"
#include "spool/layout.h"
#include "tests/fuzz/fuzz_place.h"

namespace {

using namespace filecall;
using namespace filecall::client;
using fuzz::Place;

const WallTime kNow{seconds(1'790'000'000)};

RequestRow row(std::string id, RequestState state) {
  RequestRow out;
  out.request_id = std::move(id);
  out.command = "system.echo";
  out.owner = "host-1-0123abcd";
  out.batch = "b";
  out.progress.state = state;
  out.progress.attempt = 1;
  out.progress.changed_at = kNow;
  out.submitted_at = kNow;
  if (is_final(state)) out.finished_at = kNow;
  return out;
}

/// A client's own database.
std::string own_database(const Place& place) {
  const std::string path = place.inside() + "/own.db";
  {
    const auto store = StateStore::open(path, Durability::kNone, kNow);
    CHECK(store.has_value(), "a new database opens");
    CHECK((*store)->begin().has_value(), "a new database is written");
    for (const auto state : {RequestState::kNew, RequestState::kPolling, RequestState::kWaiting,
                             RequestState::kSuccess, RequestState::kGaveUp}) {
      CHECK((*store)->put(row("r-" + std::string(to_string(state)), state)), "a row is written");
    }
    CHECK((*store)->request_cancel("r-POLLING", kNow), "a wish is written");
    CHECK((*store)->commit().has_value(), "a new database is written");
  }
  return read_file(path, 16 * 1024 * 1024).value_or("");
}

/// Whatever it says, for as long as some thousand steps.
void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) == SQLITE_OK) {
    int patience = 50;
    sqlite3_progress_handler(
        database, 1000, [](void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; },
        &patience);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1'000'000);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close_v2(database);
}

std::string changed(std::string bytes, FuzzedDataProvider& input) {
  for (int left = 64; left > 0 && input.remaining_bytes() > 0; --left) {
    const auto at = input.ConsumeIntegralInRange<std::size_t>(0, bytes.size() - 1);
    const std::string piece = input.ConsumeRandomLengthString(16);
    bytes.replace(at, std::min(piece.size(), bytes.size() - at), piece);
  }
  return bytes;
}

void use_store(const std::string& path) {
  const auto opened = StateStore::open(path, Durability::kNone, kNow);
  if (!opened) {
    CHECK(!opened.error().message.empty(), "an error says why");
    return;
  }
  StateStore& store = **opened;
  for (const bool is_open : {false, true}) {
    const auto rows = store.page({.only_open = is_open, .with_hidden = true}, "", 100);
    if (!rows) continue;
    for (const RequestRow& found : *rows) {
      CHECK(is_valid_stem(found.request_id), "an id can name a file");
      CHECK(found.owner.empty() || is_valid_stem(found.owner), "an owner can name a file");
      (void)store.claim(row(found.request_id, RequestState::kNew), [](auto) { return false; });
    }
  }
  (void)store.page({.only_uncopied = true}, "", 100);
  if (const auto wishes = store.cancel_requests()) {
    for (const auto& id : *wishes) CHECK(is_valid_stem(id), "an id can name a file");
  }
  const RequestRow fresh = row("fresh", RequestState::kNew);
  const RequestRow* const rows[] = {&fresh};
  (void)store.insert_all(rows);
  (void)store.put(fresh);
  (void)store.forget_cancel_request("r-POLLING");
}

void use_ledger(const std::string& root) {
  const auto opened = Ledger::open({.root = root, .durability = Durability::kNone});
  if (!opened) return;
  Ledger& ledger = **opened;
  (void)ledger.count({});
  std::vector<std::string> ids;
  (void)ledger.for_each({.limit = 100}, [&](const RequestEntry& entry) {
    CHECK(is_valid_stem(entry.request_id), "an id can name a file");
    CHECK(dump_json(entry_json(entry)).size() > 2, "an entry can be shown");
    ids.push_back(entry.request_id);
    return true;
  });
  for (const std::string& id : ids) {
    if (const auto details = ledger.show(id)) (void)details_json(*details);
  }
  (void)ledger.changes().retry_failed({});
  (void)ledger.gc({});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Place place;
  static const std::string own = [] {
    place.clear();
    return own_database(place);
  }();
  place.clear();
  const spool::Layout layout(place.inside());
  std::filesystem::create_directories(layout.client());
  std::filesystem::create_directories(layout.requests());
  std::filesystem::create_directories(layout.responses());
  const std::string path = layout.client_database();
  FuzzedDataProvider input(data, size);
  const auto form = input.ConsumeBytesAsString(1);
  if (form == "b") {
    Place::write(path, input.ConsumeRemainingBytesAsString());
  } else if (form == "c") {
    Place::write(path, changed(own, input));
  } else {
    Place::write(path, own);
    run_sql(path, input.ConsumeRemainingBytesAsString());
  }
  use_ledger(place.inside());
  use_store(path);
  CHECK(place.is_outside_untouched(), "nothing outside the root is touched");
  return 0;
}
