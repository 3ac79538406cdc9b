// SPDX-License-Identifier: MIT
#include "client/store/state_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "client/store/database_file.h"
#include "client/store/sqlite.h"
#include "tests/unit/client/store/state_store_fixture.h"

namespace filecall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class StateStoreTest : public StateStoreFixture {};

/// Whether another process would find a lock on the bytes that SQLite's readers lock (os_unix.c,
/// SHARED_FIRST and SHARED_SIZE); a client that closes the database and finds none takes itself for
/// the last one and removes the log.
bool is_locked_for_others(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000002;
    lock.l_len = 510;
    const bool is_asked = fd >= 0 && ::fcntl(fd, F_GETLK, &lock) == 0;
    ::_exit(is_asked && lock.l_type != F_UNLCK ? 0 : 1);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(StateStoreTest, ASecondStoreOfTheProcessLeavesTheLocksOfTheFirst) {
  const auto first = open();
  ASSERT_TRUE(first->put(row("a")));
  ASSERT_TRUE(is_locked_for_others(path_));
  auto second = open();
  EXPECT_TRUE(is_locked_for_others(path_)) << "opening it dropped the locks";
  second.reset();
  EXPECT_TRUE(is_locked_for_others(path_)) << "closing it dropped the locks";
}

TEST_F(StateStoreTest, TheFileIsItsOwnersAlone) {
  const mode_t before = ::umask(0);
  open();
  ::umask(before);
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(StateStoreTest, KeepsEveryMemberOfARow) {
  RequestRow full = row("a", RequestState::kGaveUp);
  full.batch = "b1";
  full.content_hash = "00ff";
  full.progress.cancel = CancelMark::kLate;
  full.progress.pauses = 4;
  full.progress.given_back = 2;
  full.asked_at = kNow + seconds(3);
  full.progress.paused = milliseconds(7250);
  full.progress.counted_response = AnswerVersion{~0ull, -5, 77};
  full.progress.error_code = ErrorCode::kUnavailable;
  full.progress.error_message = "it's \"down\"";
  full.progress.copied = true;
  full.progress.due_at = kNow + seconds(5);
  full.queued_ms = 3;
  full.run_ms = 4;
  full.collected_at = kNow + seconds(9);
  full.is_control = true;
  auto store = open();
  ASSERT_TRUE(store->put(full));
  store = open();
  const auto found = store->find("a");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->progress, full.progress);
  EXPECT_EQ((*found)->asked_at, full.asked_at);
  EXPECT_EQ((*found)->command, full.command);
  EXPECT_EQ((*found)->owner, full.owner);
  EXPECT_EQ((*found)->batch, full.batch);
  EXPECT_EQ((*found)->content_hash, full.content_hash);
  EXPECT_EQ((*found)->queued_ms, 3);
  EXPECT_EQ((*found)->run_ms, 4);
  EXPECT_EQ((*found)->submitted_at, full.submitted_at);
  EXPECT_EQ((*found)->finished_at, full.finished_at);
  EXPECT_EQ((*found)->collected_at, full.collected_at);
  EXPECT_TRUE((*found)->is_control);
}

TEST_F(StateStoreTest, FindsNothingForAnUnknownId) {
  const auto found = open()->find("nobody");
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(StateStoreTest, ForgetsWhatWasRolledBack) {
  auto store = open();
  ASSERT_TRUE(store->begin());
  ASSERT_TRUE(store->put(row("a")));
  store->rollback();
  const auto found = store->find("a");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_value());
}

TEST_F(StateStoreTest, ClaimsWhatIsNewAndWhatADeadClientLeft) {
  auto store = open();
  const auto dead = [](std::string_view) { return false; };
  const auto fresh = store->claim(row("a"), dead);
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->kind, Claim::Kind::kMine);
  EXPECT_TRUE(fresh->is_new);
  RequestRow theirs = row("a");
  theirs.owner = "other";
  theirs.progress.attempt = 2;
  ASSERT_TRUE(store->put(theirs));
  const auto continued = store->claim(row("a"), dead);
  ASSERT_TRUE(continued);
  EXPECT_EQ(continued->kind, Claim::Kind::kMine);
  EXPECT_FALSE(continued->is_new);
  EXPECT_EQ(continued->row.owner, "me");
  EXPECT_EQ(continued->row.progress.attempt, 2);
}

TEST_F(StateStoreTest, LeavesWhatALiveClientDrives) {
  auto store = open();
  RequestRow theirs = row("a");
  theirs.owner = "other";
  ASSERT_TRUE(store->put(theirs));
  const auto claim = store->claim(row("a"), [](std::string_view o) { return o == "other"; });
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->kind, Claim::Kind::kForeign);
}

TEST_F(StateStoreTest, DoesNotBeginAgainWhatEndedOrWasCollected) {
  auto store = open();
  const auto dead = [](std::string_view) { return false; };
  ASSERT_TRUE(store->put(row("done", RequestState::kSuccess)));
  EXPECT_EQ(store->claim(row("done"), dead)->kind, Claim::Kind::kFinal);
  RequestRow tombstone = row("gone", RequestState::kSuccess);
  tombstone.collected_at = kNow;
  ASSERT_TRUE(store->put(tombstone));
  EXPECT_EQ(store->claim(row("gone"), dead)->kind, Claim::Kind::kCollected);
  // Given up, but failed/ may not have the copy yet: somebody must finish it.
  ASSERT_TRUE(store->put(row("half", RequestState::kGaveUp)));
  EXPECT_EQ(store->claim(row("half"), dead)->kind, Claim::Kind::kMine);
}

TEST_F(StateStoreTest, PagesInOrderAndFilters) {
  auto store = open();
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(store->put(row(std::string(1, static_cast<char>('a' + i)),
                               i % 2 == 0 ? RequestState::kSuccess : RequestState::kPolling)));
  }
  RequestRow control = row("zz", RequestState::kSuccess);
  control.is_control = true;
  ASSERT_TRUE(store->put(control));
  const auto first = store->page({}, "", 10);
  ASSERT_TRUE(first);
  ASSERT_THAT(*first, SizeIs(10));
  EXPECT_EQ(first->front().request_id, "a");
  const auto rest = store->page({}, first->back().request_id, 100);
  EXPECT_THAT(*rest, SizeIs(15)) << "control requests are hidden";
  EXPECT_THAT(*store->page({.with_hidden = true}, "", 100), SizeIs(26));
  EXPECT_THAT(*store->page({.only_open = true}, "", 100), SizeIs(12));
  EXPECT_THAT(*store->page({.state = RequestState::kSuccess}, "", 100), SizeIs(13));
  int succeeded = 0;
  int hidden = 0;
  ASSERT_TRUE(store->each_id([&](std::string_view, RequestState state, RowKind kind) {
    const bool is_request = kind == RowKind::kRequest;
    hidden += is_request ? 0 : 1;
    succeeded += state == RequestState::kSuccess && is_request ? 1 : 0;
  }));
  EXPECT_EQ(succeeded, 13);
  EXPECT_EQ(hidden, 1);
}

TEST_F(StateStoreTest, HandsCancelRequestsToTheOwnerOnly) {
  auto store = open();
  ASSERT_TRUE(store->request_cancel("a", kNow));
  ASSERT_TRUE(store->request_cancel("b", kNow));
  EXPECT_THAT(*store->cancel_requests(), UnorderedElementsAre("a", "b"));
  ASSERT_TRUE(store->forget_cancel_request("b"));
  EXPECT_THAT(*store->cancel_requests(), ElementsAre("a"));
}

TEST_F(StateStoreTest, InsertsARowOnlyWhereNoneIs) {
  auto store = open();
  const RequestRow first = row("a");
  RequestRow other = row("a");
  other.command = "another";
  EXPECT_THAT(*store->insert_all({{&first}}), ElementsAre(true));
  EXPECT_THAT(*store->insert_all({{&other}}), ElementsAre(false));
  EXPECT_EQ((*store->find("a"))->command, first.command);
}

TEST_F(StateStoreTest, ForgetsASuspicionThatProvedWrong) {
  ASSERT_TRUE(open()->put(row("a")));
  suspect_state_database(path_);
  ASSERT_TRUE(std::filesystem::exists(path_ + ".suspect"));
  EXPECT_TRUE(open()->find("a")->has_value());
  EXPECT_FALSE(std::filesystem::exists(path_ + ".suspect"));
}

TEST_F(StateStoreTest, OffersASummaryToPeople) {
  auto store = open();
  ASSERT_TRUE(store->put(row("a", RequestState::kSuccess)));
  auto database = Database::open(path_);
  EXPECT_EQ(*database->query_text("SELECT requests FROM summary WHERE state = 'SUCCESS'"), "1");
  EXPECT_EQ(*database->query_text("SELECT value FROM meta WHERE key = 'schema_version'"), "4");
}

TEST_F(StateStoreTest, RemembersWhatWasSpentAndTakesOlderFiles) {
  {
    auto store = open();
    RequestRow paid = row("paid", RequestState::kSuccess);
    paid.spend = {2, 300, 40, 0.125, 1};
    ASSERT_TRUE(store->put(paid));
    ASSERT_TRUE(store->put(row("old", RequestState::kSuccess)));
    EXPECT_EQ((*store->find("paid"))->spend, paid.spend);
  }
  auto database = Database::open(path_);
  ASSERT_TRUE(database->execute("DROP VIEW summary; CREATE VIEW summary AS SELECT 1"));
  for (const char* column : {"calls", "input_tokens", "output_tokens", "cost", "unpriced", "pauses",
                             "paused_ms", "given_back", "asked_at_ms"}) {
    ASSERT_TRUE(database->execute(std::string("ALTER TABLE requests DROP COLUMN ") + column));
  }
  ASSERT_TRUE(database->execute("PRAGMA user_version = 1"));
  EXPECT_EQ((*open()->find("old"))->spend, Spend{});
  EXPECT_EQ((*open()->find("old"))->progress.pauses, 0);
  EXPECT_EQ(*Database::open(path_)->query_text("PRAGMA user_version"), "4");
}

}  // namespace
}  // namespace filecall::client
