// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "spool/client_files.h"
#include "spool/response_watch.h"
#include "temporary_root.h"

namespace filecall::spool {
namespace {

class Drop : public testing::Test {
 protected:
  TemporaryRoot root_;
  std::shared_ptr<const Directories> directories_ = root_.open().directories();
};

TEST_F(Drop, NeverTouchesARequestThatIsThere) {
  ASSERT_EQ(*drop_request(*directories_, "a", "one", Durability::kFull), Publication::kPublished);
  ASSERT_EQ(*drop_request(*directories_, "a", "two", Durability::kFull),
            Publication::kAlreadyThere);
  EXPECT_EQ(read_request_file(*directories_, "a").value()->bytes, "one");
  EXPECT_EQ(count_entries(root_.layout().client_tmp()), 0u);
  EXPECT_TRUE(has_request(*directories_, "a"));
  EXPECT_FALSE(has_response(*directories_, "a"));
}

TEST_F(Drop, ReadsAResponseAndTellsItFromItsSuccessor) {
  EXPECT_FALSE(read_response_file(*directories_, "a").value());
  write_text(root_.layout().response("a"), "first");
  const auto first = read_response_file(*directories_, "a").value();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes, "first");
  EXPECT_EQ(identify_response(*directories_, "a").value(), first->identity);

  write_text(root_.path() + "/t", "second");
  std::filesystem::rename(root_.path() + "/t", root_.layout().response("a"));
  EXPECT_EQ(*delete_response(*directories_, "a", first->identity), Deletion::kOther);
  const auto second = read_response_file(*directories_, "a").value();
  ASSERT_TRUE(second) << "an answer nobody read was not deleted";
  EXPECT_EQ(*delete_response(*directories_, "a", second->identity), Deletion::kDeleted);
  EXPECT_EQ(*delete_response(*directories_, "a", second->identity), Deletion::kAbsent);
}

TEST_F(Drop, RefusesAResponseThatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(root_.layout().response("fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc/passwd", root_.layout().response("link"));
  for (const char* stem : {"fifo", "link"}) {
    const auto result = read_response_file(*directories_, stem);
    ASSERT_FALSE(result) << stem;
    EXPECT_EQ(result.error().code, ErrorCode::kFailedPrecondition);
  }
}

TEST_F(Drop, ReplacesAFailedCopy) {
  ASSERT_TRUE(copy_to_failed(*directories_, "a", "one", Durability::kFull));
  ASSERT_TRUE(copy_to_failed(*directories_, "a", "two", Durability::kFull));
  EXPECT_EQ(read_text(root_.layout().failed("a")), "two");
  EXPECT_EQ(count_entries(root_.layout().failed()), 1u);
  EXPECT_TRUE(has_failed(*directories_, "a"));
}

TEST_F(Drop, SweepsOldTemporariesAlone) {
  const std::string name = Layout::temporary_name(1, 2);
  for (const std::string& folder : {root_.layout().client_tmp(), root_.layout().failed()}) {
    write_text(folder + "/" + name, "x");
    write_text(folder + "/a.json", "x");
  }
  sweep_old_temporaries(*directories_, wall_now());
  EXPECT_EQ(count_entries(root_.layout().client_tmp()), 2u) << "its writer may live";
  sweep_old_temporaries(*directories_, wall_now() + std::chrono::hours(25));
  EXPECT_EQ(count_entries(root_.layout().client_tmp()), 1u);
  EXPECT_EQ(count_entries(root_.layout().failed()), 1u);
}

class ResponseWatchTest : public testing::TestWithParam<bool> {
 protected:
  ResponseWatchTest() : opened_(root_.open()) {
    ResponseWatchOptions options;
    options.requests = true;
    options.force_poll = GetParam();
    options.poll_period = milliseconds(5);
    watch_ = ResponseWatch::open(
                 opened_, options,
                 [](ResponseWatch::Place, std::string_view stem) { return stem != "boring"; },
                 monotonic_now())
                 .value();
  }
  /// Turns until the hint came; collects all hints.
  bool until_hint(ResponseWatch::Place place, const std::string& stem) {
    const Deadline deadline = Deadline::after(monotonic_now(), seconds(5));
    while (!deadline.is_reached(monotonic_now())) {
      turn();
      bool found = false;
      for (const auto& hint : watch_->take().hints) {
        EXPECT_NE(hint.stem, "boring");
        found = found || (hint.place == place && hint.stem == stem);
      }
      if (found) return true;
    }
    return false;
  }
  void turn() {
    struct pollfd entry {
      watch_->poll_fd(), POLLIN, 0
    };
    if (::poll(&entry, 1, 2) > 0) watch_->on_readable(monotonic_now());
    const MonotonicTime now = monotonic_now();
    if (watch_->next_wake().is_reached(now)) watch_->on_wake(now);
  }
  bool until_scanned() {
    const Deadline deadline = Deadline::after(monotonic_now(), seconds(5));
    while (!deadline.is_reached(monotonic_now())) {
      turn();
      if (watch_->take().scanned) return true;
    }
    return false;
  }

  static constexpr auto kResponse = ResponseWatch::Place::kResponse;
  static constexpr auto kRequest = ResponseWatch::Place::kRequest;
  TemporaryRoot root_;
  Root opened_;
  std::unique_ptr<ResponseWatch> watch_;
};
INSTANTIATE_TEST_SUITE_P(Modes, ResponseWatchTest, testing::Bool(),
                         [](const auto& row) { return row.param ? "Poll" : "Inotify"; });

TEST_P(ResponseWatchTest, TellsOfResponsesAndRequestsThatAppear) {
  write_text(root_.layout().response("before"), "{}");
  write_text(root_.layout().response("boring"), "{}");
  EXPECT_TRUE(until_hint(kResponse, "before"));
  write_text(root_.layout().response("a"), "{}");
  EXPECT_TRUE(until_hint(kResponse, "a"));
  write_text(root_.layout().request("r"), "{}");
  EXPECT_TRUE(until_hint(kRequest, "r"));
  write_text(root_.path() + "/t", "{}");
  std::filesystem::create_hard_link(root_.path() + "/t", root_.layout().response("linked"));
  EXPECT_TRUE(until_hint(kResponse, "linked"));
}

TEST_P(ResponseWatchTest, TellsThatAResponseVanishedOrThatEverythingWasRead) {
  write_text(root_.layout().response("a"), "{}");
  ASSERT_TRUE(until_hint(kResponse, "a"));
  std::filesystem::remove(root_.layout().response("a"));
  if (GetParam()) {
    EXPECT_TRUE(until_scanned()) << "absence shows in a scan alone";
  } else {
    EXPECT_TRUE(until_hint(kResponse, "a"));
  }
}

TEST_P(ResponseWatchTest, ScansWhenAsked) {
  ASSERT_TRUE(until_scanned());
  watch_->request_scan(monotonic_now());
  EXPECT_TRUE(until_scanned());
}

TEST_P(ResponseWatchTest, FollowsAReplacedDirectory) {
  ASSERT_TRUE(until_scanned());
  std::filesystem::rename(root_.layout().responses(), root_.path() + "/old");
  std::filesystem::create_directory(root_.layout().responses());
  write_text(root_.layout().response("a"), "{}");
  EXPECT_TRUE(until_hint(kResponse, "a"));
}

}  // namespace
}  // namespace filecall::spool
