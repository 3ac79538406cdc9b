// SPDX-License-Identifier: MIT
// A state database that is damaged, or that somebody else wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "client/store/database_copy.h"
#include "client/store/database_file.h"
#include "client/store/sqlite.h"
#include "client/store/state_store.h"
#include "tests/unit/client/store/state_store_fixture.h"

namespace filecall::client {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class ForeignDatabaseTest : public StateStoreFixture {};

TEST_F(ForeignDatabaseTest, ShowsNoRowWhoseNameLeadsOutOfTheRoot) {
  {
    const auto store = open();
    ASSERT_TRUE(store->put(row("good", RequestState::kGaveUp)));
    for (const char* id : {"../up", "/etc/passwd", "a/b", ".hidden", "", "tab\t"}) {
      RequestRow bad = row(id, RequestState::kGaveUp);
      bad.owner = "../../other";
      ASSERT_TRUE(store->put(bad)) << id;
      ASSERT_TRUE(store->request_cancel(id, kNow));
    }
    RequestRow owned = row("owned");
    owned.owner = "../../other";
    ASSERT_TRUE(store->put(owned));
  }
  const auto store = open();
  std::vector<std::string> seen;
  for (const bool only_open : {false, true}) {
    for (const bool only_uncopied : {false, true}) {
      RowFilter filter;
      filter.only_open = only_open;
      filter.only_uncopied = only_uncopied;
      filter.with_hidden = true;
      const auto rows = store->page(filter, "", 100);
      for (const RequestRow& found : *rows) {
        seen.push_back(found.request_id);
        EXPECT_EQ(found.owner.find('/'), std::string::npos);
      }
    }
  }
  ASSERT_TRUE(
      store->each_id([&](std::string_view id, RequestState, RowKind) { seen.emplace_back(id); }));
  for (const std::string& id : seen) EXPECT_TRUE(id == "good" || id == "owned") << id;
  EXPECT_FALSE(*store->find("../up"));
  EXPECT_FALSE(*store->find("/etc/passwd"));
  EXPECT_TRUE(store->cancel_requests()->empty());
}

TEST_F(ForeignDatabaseTest, RunsNothingThatStandsInACopyOfIt) {
  {
    auto database = Database::open(path_);
    ASSERT_TRUE(database);
    ASSERT_TRUE(
        database->execute("CREATE TABLE a(x); INSERT INTO a VALUES (1);"
                          "CREATE VIEW v AS SELECT x FROM a"));
  }
  auto copy = open_database_copy(path_);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy->query_text("SELECT x FROM a"), "1");
  EXPECT_FALSE(copy->query_text("SELECT x FROM v"));
}

TEST_F(ForeignDatabaseTest, IsNotCopiedWhenItSaysToBeLargerThanThePlaceForIt) {
  std::ofstream(path_) << "";
  ASSERT_EQ(::truncate(path_.c_str(), off_t{1} << 42), 0);  // Sparse: takes no room where it is.
  const auto copy = open_database_copy(path_);
  ASSERT_FALSE(copy);
  EXPECT_EQ(copy.error().code, ErrorCode::kResourceExhausted);
}

TEST_F(ForeignDatabaseTest, OpensRegularFilesOnly) {
  const std::string outside = directory_ + "/outside";
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::ofstream(outside) << "whole";
    const std::string name = path_ + suffix;
    for (const bool is_link : {true, false}) {
      const int made =
          is_link ? ::symlink(outside.c_str(), name.c_str()) : ::mkfifo(name.c_str(), 0600);
      ASSERT_EQ(made, 0) << name;
      const auto store = StateStore::open(path_, Durability::kNone, kNow);
      ASSERT_FALSE(store) << name;
      EXPECT_EQ(store.error().code, ErrorCode::kFailedPrecondition) << "and it does not wait";
      std::filesystem::remove(name);
      std::filesystem::remove(path_);
    }
    EXPECT_EQ(std::filesystem::file_size(outside), 5u);
  }
}

TEST_F(ForeignDatabaseTest, CutsNumbersThatNoClientWrites) {
  ASSERT_TRUE(open()->put(row("a", RequestState::kWaiting)));
  for (const char* number :
       {"9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "x'ff'", "'y'"}) {
    std::string change = "UPDATE requests SET owner = NULL";
    for (const char* column : {"attempt", "queued_ms", "run_ms", "submitted_at_ms", "changed_at_ms",
                               "due_at_ms", "finished_at_ms", "calls", "input_tokens", "cost",
                               "unpriced", "pauses", "paused_ms", "given_back", "asked_at_ms"}) {
      change += std::string(", ") + column + " = " + number;
    }
    ASSERT_TRUE(Database::open(path_)->execute(change));
    const auto store = open();
    const auto found = store->find("a");
    ASSERT_TRUE(found && *found) << number;
    const RequestRow& read = **found;
    EXPECT_GE(read.progress.attempt, 0);
    EXPECT_LE(read.progress.attempt, 1'000'000'000);
    EXPECT_GE(read.progress.begun_attempts(), 0);
    EXPECT_GE(read.progress.changed_at, WallTime{});
    EXPECT_GE(read.progress.due_at - kNow, -(kNow - WallTime{})) << "no difference overflows";
    EXPECT_GE(read.progress.paused, Duration::zero());
    EXPECT_GE(read.spend.calls, 0);
    EXPECT_GE(read.spend.cost, 0);
    EXPECT_LT(read.spend.cost, 1e13);
    EXPECT_TRUE(store->put(read)) << number;
  }
}

TEST_F(ForeignDatabaseTest, RunsNothingThatAFileBrings) {
  ASSERT_TRUE(open()->put(row("a")));
  ASSERT_TRUE(
      Database::open(path_)->execute("CREATE TRIGGER t AFTER INSERT ON requests BEGIN"
                                     " INSERT INTO cancel_wishes VALUES ('a', 1); END"));
  const auto store = open();
  ASSERT_TRUE(store->put(row("b")));
  EXPECT_TRUE(store->cancel_requests()->empty()) << "a trigger could also never end";
}

TEST_F(ForeignDatabaseTest, SetsAFileAsideThatIsNotWhatItsVersionSays) {
  const char* const kEndless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT";
  for (const std::string& change :
       {std::string("PRAGMA user_version = -1"), std::string("PRAGMA user_version = 0"),
        std::string("DROP TABLE requests"), std::string("DROP INDEX open_requests"),
        std::string("ALTER TABLE requests DROP COLUMN command"),
        std::string("DROP TABLE cancel_wishes; CREATE VIEW cancel_wishes AS ") + kEndless +
            " x AS request_id, 0 AS asked_at_ms FROM c"}) {
    ASSERT_TRUE(open()->put(row("a")));
    ASSERT_TRUE(Database::open(path_)->execute("DROP VIEW summary; " + change)) << change;
    const auto store = open();
    EXPECT_THAT(store->notices(), SizeIs(1)) << change;
    EXPECT_FALSE(*store->find("a")) << change;
    EXPECT_TRUE(store->cancel_requests()->empty()) << change;
  }
}

TEST_F(ForeignDatabaseTest, SetsADamagedFileAsideAndBeginsANewOne) {
  std::ofstream(path_) << std::string(5000, 'x');
  auto store = open();
  ASSERT_THAT(store->notices(), SizeIs(1));
  EXPECT_THAT(store->notices()[0], HasSubstr("set aside"));
  ASSERT_TRUE(store->put(row("a")));
  int kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    if (entry.path().filename().string().starts_with("state.db.damaged-")) {
      ++kept;
      EXPECT_EQ(std::filesystem::file_size(entry.path()), 5000u);
    }
  }
  EXPECT_EQ(kept, 1);
}

TEST_F(ForeignDatabaseTest, SetsAFileWithDamagedPagesAside) {
  {
    auto store = open();
    ASSERT_TRUE(store->begin());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(store->put(row("id" + std::to_string(i))));
    ASSERT_TRUE(store->commit());
  }
  std::fstream file(path_, std::ios::in | std::ios::out);
  file.seekp(40960);
  file << std::string(40960, '\x5a');
  file.close();
  EXPECT_THAT(open()->notices(), SizeIs(1));
}

TEST_F(ForeignDatabaseTest, RefusesTheFileOfANewerProgramAndLeavesItAlone) {
  open();
  ASSERT_TRUE(Database::open(path_)->execute("PRAGMA user_version = 99"));
  const auto store = StateStore::open(path_, Durability::kNone, kNow);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(*Database::open(path_)->query_text("PRAGMA user_version"), "99");
}

}  // namespace
}  // namespace filecall::client
