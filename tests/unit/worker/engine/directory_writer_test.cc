// SPDX-License-Identifier: MIT
#include "worker/engine/directory_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/unit/worker/engine/manual_pool.h"
#include "tests/unit/worker/engine/memory_medium.h"
#include "tests/unit/worker/manual_clock.h"

namespace filecall::worker {
namespace {

using spool::StartRecordName;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = MemoryMedium::Kind;

const Error kFull{ErrorCode::kResourceExhausted, "no space left"};

/// The real writer on a disk of values, with a pool and a clock that the test moves.
class DirectoryWriterTest : public testing::Test {
 protected:
  void open(Kind kind) {
    medium_.emplace(kind);
    writer_.emplace("/root", *medium_, pool_, clock_);
  }
  void answer(const std::string& stem, std::optional<StartRecordName> record = {},
              bool may_repeat = false) {
    writer_->answer(stem, "text of " + stem, std::move(record), may_repeat,
                    [this](std::string_view done, bool is_first) {
                      done_.push_back(std::string(done) + (is_first ? "" : " lost"));
                    });
  }
  void start(const std::string& stem, int starts = 1) {
    writer_->record_start({stem, starts, Effects::kExternal}, "{}", [this, stem](Result<void> ok) {
      done_.push_back("start " + stem + (ok ? "" : ": " + ok.error().message));
    });
  }
  void wake_after(Duration pause) {
    clock_.advance(pause);
    if (writer_->next_wake().is_reached(clock_.monotonic())) writer_->on_wake(clock_.monotonic());
  }
  const std::vector<std::string>& log() { return medium_->log_lines; }

  ManualClock clock_;
  ManualPool pool_;
  std::optional<MemoryMedium> medium_;
  std::optional<DirectoryWriter> writer_;
  std::vector<std::string> done_;
};

TEST_F(DirectoryWriterTest, WritesAtOnceWhereNothingBlocks) {
  open(Kind::kDirect);
  start("a");
  answer("a", StartRecordName{"a", 1, Effects::kExternal});
  EXPECT_THAT(done_, ElementsAre("start a", "a"));
  EXPECT_THAT(log(), ElementsAre("start a.1.external", "publish a"));
  EXPECT_TRUE(medium_->starts.empty());
  EXPECT_EQ(pool_.size(), 0u);
  EXPECT_TRUE(writer_->is_idle());
}

TEST_F(DirectoryWriterTest, MakesManyAnswersDurableWithOneSync) {
  open(Kind::kBlocking);
  for (const char* stem : {"a", "b", "c"}) answer(stem);
  ASSERT_EQ(pool_.size(), 3u) << "side by side";
  pool_.run_one();
  ASSERT_EQ(pool_.size(), 3u) << "the sync for the first";
  pool_.run_one();
  pool_.run_one();
  EXPECT_TRUE(done_.empty()) << "renamed, not durable";
  pool_.run_one();
  EXPECT_THAT(done_, ElementsAre("a"));
  ASSERT_EQ(pool_.size(), 1u);
  pool_.run_one();
  EXPECT_THAT(done_, ElementsAre("a", "b", "c"));
  EXPECT_THAT(log(), ElementsAre("publish a", "publish b", "publish c", "sync", "sync"));
  EXPECT_TRUE(writer_->is_idle());
}

TEST_F(DirectoryWriterTest, CountsAnAnswerWhoseDirectoryCouldNotBeSynced) {
  open(Kind::kBlocking);
  medium_->unsynced = Error{ErrorCode::kUnavailable, "EIO"};
  answer("a");
  pool_.run_all();
  EXPECT_THAT(done_, ElementsAre("a")) << "it is visible; a second sync could not say more";
  EXPECT_THAT(log(), ElementsAre("publish a", "sync"));
}

TEST_F(DirectoryWriterTest, SaysThatAStartIsRecordedOnlyWhenItIs) {
  open(Kind::kBlocking);
  start("a");
  EXPECT_TRUE(done_.empty());
  EXPECT_FALSE(writer_->is_idle());
  medium_->full = kFull;
  pool_.run_all();
  EXPECT_THAT(done_, ElementsAre("start a: no space left"));
  EXPECT_TRUE(writer_->is_idle());
}

TEST_F(DirectoryWriterTest, KeepsAnswersOfAFullDiskAndTriesAgainOnceASecond) {
  for (const Kind kind : {Kind::kDirect, Kind::kBlocking, Kind::kGrouped}) {
    done_.clear();
    open(kind);
    medium_->full = kFull;
    answer("a");
    answer("b");
    writer_->flush();
    pool_.run_all();
    EXPECT_THAT(writer_->problem(), HasSubstr("no space left; answers wait in memory"));
    EXPECT_FALSE(writer_->is_idle());
    EXPECT_EQ(writer_->next_wake(), Deadline::after(clock_.monotonic(), seconds(1)));
    const std::size_t attempts = log().size();
    wake_after(milliseconds(999));
    EXPECT_EQ(log().size(), attempts);
    wake_after(milliseconds(1));
    writer_->flush();
    pool_.run_all();
    EXPECT_GT(log().size(), attempts);
    EXPECT_TRUE(done_.empty());
    medium_->full.reset();
    wake_after(seconds(1));
    writer_->flush();
    pool_.run_all();
    EXPECT_THAT(done_, ElementsAre("a", "b"));
    EXPECT_EQ(writer_->problem(), "");
    EXPECT_EQ(medium_->answers.at("a"), "text of a");
    EXPECT_TRUE(writer_->is_idle());
    writer_.reset();
  }
}

TEST_F(DirectoryWriterTest, HasAProblemUntilTheLastStuckAnswerIsPublished) {
  open(Kind::kBlocking);
  medium_->full = kFull;
  answer("a");
  answer("b");
  pool_.run_all();
  medium_->full.reset();
  wake_after(seconds(1));
  pool_.run_one();
  EXPECT_FALSE(writer_->problem().empty());
  pool_.run_all();
  EXPECT_TRUE(writer_->problem().empty());
}

TEST_F(DirectoryWriterTest, KeepsAnAnswerAsideThatCameTooLateUnlessItMayBeRepeated) {
  for (const Kind kind : {Kind::kDirect, Kind::kBlocking, Kind::kGrouped}) {
    done_.clear();
    open(kind);
    medium_->answers = {{"a", "first"}, {"b", "first"}};
    answer("a");
    answer("b", {}, true);
    writer_->flush();
    pool_.run_all();
    EXPECT_THAT(done_, ElementsAre("a lost", "b lost"));
    EXPECT_EQ(medium_->answers.at("a"), "first");
    EXPECT_THAT(medium_->late["a"], ElementsAre("text of a"));
    EXPECT_FALSE(medium_->late.contains("b"));
    EXPECT_TRUE(writer_->is_idle());
    writer_.reset();
  }
}

TEST_F(DirectoryWriterTest, CommitsWhatATurnGatheredInOneGroup) {
  open(Kind::kGrouped);
  start("s");
  answer("a");
  answer("b");
  EXPECT_EQ(pool_.size(), 0u) << "the turn may have more to say";
  writer_->flush();
  ASSERT_EQ(pool_.size(), 1u);
  answer("later");
  writer_->flush();
  ASSERT_EQ(pool_.size(), 1u) << "one group at a time";
  pool_.run_one();
  EXPECT_THAT(done_, ElementsAre("start s", "a", "b"));
  writer_->flush();
  pool_.run_one();
  EXPECT_THAT(log(), ElementsAre("stage s", "stage a", "stage b", "stage later", "log s a b",
                                 "publish a", "publish b", "log later", "publish later"));
}

TEST_F(DirectoryWriterTest, BeginsALargeGroupBeforeTheEndOfTheTurn) {
  open(Kind::kGrouped);
  for (int i = 0; i < 64; ++i) answer(std::to_string(i));
  EXPECT_EQ(pool_.size(), 1u);
  pool_.run_all();
  EXPECT_EQ(done_.size(), 64u);
}

TEST_F(DirectoryWriterTest, LogsAStartBeforeItsAnswer) {
  open(Kind::kGrouped);
  start("a");
  writer_->flush();
  pool_.run_one();
  EXPECT_TRUE(medium_->starts.contains("a.1.external"));
  answer("a", StartRecordName{"a", 1, Effects::kExternal});
  writer_->flush();
  pool_.run_one();
  EXPECT_THAT(done_, ElementsAre("start a", "a"));
  EXPECT_THAT(log(), ElementsAre("stage a", "log a", "stage a", "log a", "publish a"));
  EXPECT_TRUE(medium_->starts.empty());
}

TEST_F(DirectoryWriterTest, ShowsNothingOfAGroupThatCouldNotBeLogged) {
  open(Kind::kGrouped);
  medium_->unsynced = Error{ErrorCode::kUnavailable, "EIO"};
  start("s");
  answer("a");
  writer_->flush();
  pool_.run_all();
  EXPECT_THAT(done_, ElementsAre("start s: EIO"));
  EXPECT_TRUE(medium_->answers.empty());
  EXPECT_EQ(writer_->problem(), "EIO");
  medium_->unsynced.reset();
  wake_after(seconds(1));
  writer_->flush();
  pool_.run_all();
  EXPECT_THAT(done_, ElementsAre("start s: EIO", "a"));
}

TEST_F(DirectoryWriterTest, ChecksAJournalPointWhenItRestsOrGrows) {
  open(Kind::kGrouped);
  answer("a");
  writer_->flush();
  pool_.run_all();
  EXPECT_EQ(writer_->next_wake(), Deadline::after(clock_.monotonic(), seconds(5)));
  wake_after(seconds(5));
  EXPECT_FALSE(writer_->is_idle()) << "it must not be destroyed under the pool";
  pool_.run_all();
  EXPECT_EQ(log().back(), "checkpoint");
  EXPECT_TRUE(writer_->is_idle());
  EXPECT_TRUE(writer_->next_wake().is_never()) << "there is nothing left to do";
  medium_->is_large = true;
  answer("b");
  writer_->flush();
  pool_.run_all();
  EXPECT_EQ(log().back(), "checkpoint") << "without waiting";
}

TEST_F(DirectoryWriterTest, TriesACheckpointThatFailedAgain) {
  open(Kind::kGrouped);
  answer("a");
  writer_->flush();
  pool_.run_all();
  medium_->unsynced = Error{ErrorCode::kUnavailable, "EIO"};
  wake_after(seconds(5));
  pool_.run_all();
  EXPECT_EQ(medium_->journal, 1);
  medium_->unsynced.reset();
  wake_after(seconds(5));
  pool_.run_all();
  EXPECT_EQ(medium_->journal, 0);
}

TEST_F(DirectoryWriterTest, GivesUpOnlyWhatIsStuck) {
  open(Kind::kBlocking);
  medium_->full = kFull;
  answer("stuck");
  pool_.run_all();
  medium_->full.reset();
  answer("under way");
  writer_->abandon_stuck();
  EXPECT_FALSE(writer_->is_idle());
  pool_.run_all();
  EXPECT_THAT(done_, ElementsAre("under way"));
  EXPECT_TRUE(writer_->is_idle());
  EXPECT_TRUE(writer_->next_wake().is_never());
}

/// Whatever the disk refuses and in whatever order the pool works: each answer is done once, and
/// lies there when it is.
TEST_F(DirectoryWriterTest, LosesAndDoublesNoAnswerOfARandomSequence) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    done_.clear();
    open(seed % 3 == 0 ? Kind::kGrouped : Kind::kBlocking);
    int sent = 0;
    for (int i = 0; i < 200; ++i) {
      switch (random.below(6)) {
        case 0:
        case 1:
          answer(std::to_string(sent++));
          break;
        case 2:
          if (pool_.size() > 0) pool_.run_one(random.below(pool_.size()));
          break;
        case 3:
          medium_->full = random.below(3) == 0 ? std::optional(kFull) : std::nullopt;
          break;
        case 4:
          wake_after(milliseconds(random.below(1500)));
          break;
        default:
          writer_->flush();
      }
      for (const std::string& stem : done_) ASSERT_TRUE(medium_->answers.contains(stem)) << stem;
    }
    medium_->full.reset();
    for (int i = 0; i < 100 && !writer_->is_idle(); ++i) {
      writer_->flush();
      pool_.run_all();
      wake_after(seconds(1));
    }
    ASSERT_TRUE(writer_->is_idle());
    ASSERT_EQ(done_.size(), static_cast<std::size_t>(sent));
    ASSERT_EQ(medium_->answers.size(), done_.size());
    writer_.reset();
  }
}

}  // namespace
}  // namespace filecall::worker
