// SPDX-License-Identifier: MIT
#include "spool/watch.h"

#include <gtest/gtest.h>

#include "spool/spool_watch.h"
#include "temporary_root.h"

namespace filecall::spool {
namespace {

using Kind = WatchEvent::Kind;

class WatchTest : public testing::Test {
 protected:
  WatchTest() : directories_(root_.open().directories()), watch_(Watch::open().value()) {
    EXPECT_TRUE(add());
  }
  Result<void> add() {
    return watch_.add(Place::kRequests, directories_->requests.get(), root_.layout().requests(),
                      kAppearedMask | kVanishedMask);
  }
  std::vector<std::pair<Kind, std::string>> events() {
    std::vector<std::pair<Kind, std::string>> out;
    while (watch_.read([&](const WatchEvent& e) { out.emplace_back(e.kind, e.name); })) {
    }
    return out;
  }
  bool saw(Kind kind, const std::string& name) {
    for (const auto& event : events()) {
      if (event == std::pair(kind, name)) return true;
    }
    return false;
  }
  std::string path(const std::string& name) { return root_.layout().requests() + "/" + name; }

  TemporaryRoot root_;
  std::shared_ptr<const Directories> directories_;
  Watch watch_;
};

TEST_F(WatchTest, SeesEveryWayOfPublishing) {
  write_text(path("written.json"), "x");
  EXPECT_TRUE(saw(Kind::kAppeared, "written.json"));
  write_text(root_.path() + "/outside", "x");
  ASSERT_EQ(::link((root_.path() + "/outside").c_str(), path("linked.json").c_str()), 0);
  EXPECT_TRUE(saw(Kind::kAppeared, "linked.json"));
  std::filesystem::rename(root_.path() + "/outside", path("moved.json"));
  EXPECT_TRUE(saw(Kind::kAppeared, "moved.json"));
  std::filesystem::remove(path("moved.json"));
  EXPECT_TRUE(saw(Kind::kVanished, "moved.json"));
  std::filesystem::rename(path("linked.json"), root_.path() + "/away");
  EXPECT_TRUE(saw(Kind::kVanished, "linked.json"));
}

TEST_F(WatchTest, TellsThatTheDirectoryWent) {
  std::filesystem::rename(root_.layout().requests(), root_.path() + "/old");
  EXPECT_TRUE(saw(Kind::kGone, ""));
}

TEST_F(WatchTest, IsSilentAboutAWatchThatWasReplaced) {
  write_text(path("before.json"), "x");
  ASSERT_TRUE(add());
  EXPECT_TRUE(events().empty());
  write_text(path("after.json"), "x");
  EXPECT_FALSE(events().empty());
}

TEST_F(WatchTest, TellsAnOverflow) {
  // max_queued_events is 16384 unless somebody raised it; names differ, so nothing is merged.
  const std::string limit = read_text("/proc/sys/fs/inotify/max_queued_events");
  const int count = std::stoi(limit);
  if (count > 100000) GTEST_SKIP() << "the queue is too long to fill here";
  write_text(path("a"), "");
  for (int i = 0; i < count / 2 + 10; ++i) {
    const bool even = i % 2 == 0;
    ASSERT_EQ(::rename(path(even ? "a" : "b").c_str(), path(even ? "b" : "a").c_str()), 0);
  }
  EXPECT_TRUE(saw(Kind::kOverflow, ""));
}

TEST(SpoolWatch, ProvesThatEventsArriveAndLeavesNothing) {
  const TemporaryRoot directory;
  Root root = directory.open();
  const SpoolWatch watch(root, {kAppearedMask, kVanishedMask});
  EXPECT_EQ(watch.mode(), WatchMode::kInotify) << watch.reason();
  EXPECT_GE(watch.poll_fd(), 0);
  EXPECT_EQ(count_entries(directory.layout().requests()), 0u);
  EXPECT_EQ(count_entries(directory.layout().responses()), 0u);
}

TEST(SpoolWatch, PollsWhenNoEventArrives) {
  const TemporaryRoot directory;
  Root root = directory.open();
  // A mask that no cookie can fire stands for a file system without events.
  const SpoolWatch watch(root, {IN_ATTRIB, kVanishedMask});
  EXPECT_EQ(watch.mode(), WatchMode::kPoll);
  EXPECT_EQ(watch.reason(), "no event arrives for requests");
}

TEST(SpoolWatch, PollsWhenToldSo) {
  const TemporaryRoot directory;
  Root root = directory.open();
  const SpoolWatch watch(root, {kAppearedMask, kVanishedMask, true});
  EXPECT_EQ(watch.mode(), WatchMode::kPoll);
  EXPECT_EQ(watch.poll_fd(), -1);
}

TEST(SpoolWatch, NeverTrustsAgainAfterAMissedEvent) {
  const TemporaryRoot directory;
  Root root = directory.open();
  SpoolWatch watch(root, {kAppearedMask, kVanishedMask});
  watch.distrust("missed one");
  EXPECT_EQ(watch.mode(), WatchMode::kPoll);
  std::filesystem::remove_all(directory.layout().requests());
  while (watch.read(1, [](const WatchEvent&) {})) {
  }
  const MonotonicTime now = monotonic_now();
  EXPECT_FALSE(watch.check(now)) << "somebody may be about to put it back";
  EXPECT_FALSE(exists(directory.layout().requests()));
  EXPECT_TRUE(watch.check(now + seconds(1)));
  EXPECT_TRUE(exists(directory.layout().requests()));
  EXPECT_EQ(watch.reason(), "missed one");
}

}  // namespace
}  // namespace filecall::spool
