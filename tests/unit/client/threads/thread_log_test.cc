// SPDX-License-Identifier: MIT
#include "client/threads/thread_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "client/threads/run_threads.h"
#include "client/threads/spilled_data.h"
#include "thread_place.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ThreadLogTest : public ThreadPlace {};

TEST_F(ThreadLogTest, BeginsAThreadWhenItIsFirstUsed) {
  auto log = open_log("default");
  EXPECT_EQ(log->last_seq(), 1);
  EXPECT_EQ(*log->append("message", "", {{"role", "user"}, {"text", "hi"}}, at(2)), 2);
  log.reset();
  EXPECT_EQ(*open_log("default")->append("message", "", Json::object(), at(3)), 3);
  const auto records = all_records("default");
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_EQ(records[0].type, "thread.created");
  EXPECT_EQ(records[0].data, Json({{"title", "Default"}}));
  EXPECT_EQ(records[1].at, "1970-01-01T00:00:02.000Z");
  struct stat info {};
  ASSERT_EQ(::stat(layout().threads().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
  ASSERT_EQ(::stat(layout().thread("default").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
}

TEST_F(ThreadLogTest, RefusesWhatIsNoThread) {
  for (const char* id : {"", "a/b", "..", ".hidden", "a\nb"}) {
    EXPECT_EQ(ThreadLog::open(layout(), id, options()).error().code, ErrorCode::kInvalidArgument);
  }
  ThreadLogOptions only_old = options();
  only_old.creates = false;
  const auto missing = ThreadLog::open(layout(), "none", only_old);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(layout().threads())) << "nothing was made";
}

TEST_F(ThreadLogTest, BeginsADeletedThreadAgain) {
  ASSERT_TRUE(open_log()->append("thread.deleted", "", Json::object(), at(2)));
  ThreadLogOptions only_old = options();
  only_old.creates = false;
  EXPECT_EQ(ThreadLog::open(layout(), "t", only_old).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open_log()->last_seq(), 3);
  EXPECT_EQ(all_records().back().type, "thread.created");
}

TEST_F(ThreadLogTest, HasOneRunAtATimeAndSaysWhich) {
  ThreadLogOptions of_run = options();
  of_run.holder = "run run-a, process 7";
  auto first = ThreadLog::open(layout(), "t", of_run);
  ASSERT_TRUE(first);
  of_run.holder = "run run-b, process 8";
  const auto second = ThreadLog::open(layout(), "t", of_run);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("run run-a, process 7"));
  // A person may still say something to the run.
  EXPECT_EQ(*open_log()->append("steer", "run-a", {{"text", "stop there"}}, at(2)), 2);
  EXPECT_EQ(*(*first)->append("message", "run-a", Json::object(), at(3)), 3);
  first->reset();
  EXPECT_TRUE(ThreadLog::open(layout(), "t", of_run));
}

TEST_F(ThreadLogTest, NumbersWhatSeveralAppendAtOnce) {
  constexpr int kEach = 100;
  const auto write = [this] {
    auto log = open_log();
    for (int i = 0; i < kEach; ++i) ASSERT_TRUE(log->append("note", "", {{"i", i}}, at(2)));
  };
  open_log();
  {
    std::jthread one(write);
    std::jthread two(write);
  }
  ThreadCheck check;
  EXPECT_THAT(all_records("t", &check), SizeIs(2 * kEach + 1));
  EXPECT_THAT(check.bad, IsEmpty());
}

TEST_F(ThreadLogTest, AppendsSeveralAsOne) {
  auto log = open_log();
  std::vector<NewRecord> records(2);
  records[0] = {"call.begun", "run-a", {{"n", 1}}};
  records[1] = {"call.begun", "run-a", {{"n", 2}}};
  EXPECT_EQ(*log->append_all(records, at(2)), 3);
  EXPECT_EQ(*log->append_all({}, at(2)), 3);
  EXPECT_THAT(all_records(), SizeIs(3));
}

TEST_F(ThreadLogTest, KeepsATornLineAsideAtEveryByte) {
  open_log();
  const std::string whole = file_text();
  const std::string next =
      render_thread_line({2, "1970-01-01T00:00:02.000Z", "note", "", {{"text", "lost"}}}) + "\n";
  for (std::size_t cut = 1; cut < next.size(); ++cut) {
    write_file(whole + next.substr(0, cut));
    notices_.clear();
    auto log = open_log();
    ASSERT_THAT(notices_, SizeIs(1)) << cut;
    EXPECT_THAT(notices_[0], HasSubstr(".jsonl.torn-1"));
    const std::string kept = layout().thread("t") + ".torn-1";
    std::ifstream in(kept, std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), next.substr(0, cut));
    std::filesystem::remove(kept);
    EXPECT_EQ(*log->append("note", "", {{"text", "kept"}}, at(3)), 2);
    ThreadCheck check;
    EXPECT_EQ(all_records("t", &check).back().data["text"], "kept");
    EXPECT_EQ(check.bad_count, 0);
  }
}

TEST_F(ThreadLogTest, GivesNoNumberTwiceBehindABadLine) {
  auto log = open_log();
  ASSERT_TRUE(log->append("note", "", Json::object(), at(2)));
  log.reset();
  std::string text = file_text();
  text[text.size() - 10] = text[text.size() - 10] == 'x' ? 'y' : 'x';
  write_file(text);
  EXPECT_EQ(*open_log()->append("note", "", Json::object(), at(3)), 3);
  ThreadCheck check;
  EXPECT_THAT(all_records("t", &check), SizeIs(2));
  ASSERT_THAT(check.bad, SizeIs(1));
  EXPECT_EQ(check.bad[0].line, 2);
}

TEST_F(ThreadLogTest, SpillsWhatIsTooLargeAndFindsItAgain) {
  auto log = open_log();
  const Json large = {{"text", std::string(100'000, 'x') + "ä"}};
  ASSERT_TRUE(log->append("call.ended", "run-a", large, at(2)));
  ASSERT_TRUE(log->append("call.ended", "run-a", large, at(2)));
  const auto records = all_records();
  EXPECT_TRUE(is_spilled(records[1].data));
  EXPECT_EQ(records[1].data, records[2].data);
  EXPECT_EQ(records[1].data["head"].get<std::string>().size(), 1024U);
  EXPECT_EQ(*whole_value(layout(), records[1].data), large);
  EXPECT_EQ(*read_spilled(layout(), records[1].data["spilled"].get<std::string>()), large);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(layout().threads_data()), {}), 1);
  EXPECT_EQ(read_spilled(layout(), "../x").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_spilled(layout(), std::string(64, '0')).error().code, ErrorCode::kNotFound);
  const std::string path = layout().thread_data(records[1].data["spilled"].get<std::string>());
  std::ofstream(path) << "{}";
  EXPECT_EQ(whole_value(layout(), records[1].data).error().code, ErrorCode::kDataLoss);
  // What was damaged is written again by who has the same value.
  ASSERT_TRUE(log->append("call.ended", "run-a", large, at(2)));
  EXPECT_EQ(*whole_value(layout(), records[1].data), large);
}

TEST_F(ThreadLogTest, SpillsWhatLooksSpilled) {
  auto log = open_log();
  const Json forged = {{"spilled", std::string(64, 'a')}, {"bytes", 1}, {"head", ""}};
  ASSERT_TRUE(log->append("note", "", forged, at(2)));
  EXPECT_EQ(*whole_value(layout(), all_records().back().data), forged);
}

TEST_F(ThreadLogTest, RefusesWhatCouldNotBeReadBack) {
  Json deep = 1;
  for (int i = 0; i < kRecordDepthMax + 1; ++i) deep = Json::array({deep});
  auto log = open_log();
  EXPECT_EQ(log->append("note", "", {{"deep", deep}}, at(2)).error().code,
            ErrorCode::kInvalidArgument);
  Json less = 1;
  for (int i = 0; i < kRecordDepthMax - 1; ++i) less = Json::array({less});
  ASSERT_TRUE(log->append("note", "", {{"deep", less}}, at(2)));
  EXPECT_EQ(all_records().back().data["deep"], less);
}

TEST_F(ThreadLogTest, NotesWhichThreadARunIsOf) {
  EXPECT_FALSE(thread_of_run(layout(), "run-a")->has_value());
  auto log = open_log();
  ASSERT_TRUE(log->append("note", "", Json::object(), at(2)));
  const auto offset = static_cast<std::int64_t>(file_text().size());
  ASSERT_TRUE(log->append("run.begun", "run-a", {{"goal", "x"}}, at(3)));
  EXPECT_EQ(**find_run_place(layout(), "run-a"), (RunPlace{"t", offset}));
  EXPECT_EQ(**thread_of_run(layout(), "run-a"), "t");
  EXPECT_EQ(thread_of_run(layout(), "../a").error().code, ErrorCode::kInvalidArgument);
  std::ofstream(layout().thread_of_run("run-a")) << R"({"thread":"../x","offset":0})";
  EXPECT_EQ(thread_of_run(layout(), "run-a").error().code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace filecall::client
