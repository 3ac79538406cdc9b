// SPDX-License-Identifier: MIT
#include "client/threads/run_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thread_place.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class RunRecordsTest : public ThreadPlace {
 protected:
  /// A run that ends as it is said, between records of another one.
  void fill(const std::string& status) {
    auto log = open_log();
    ASSERT_TRUE(log->append("run.begun", "other", {{"goal", "one"}}, at(2)));
    ASSERT_TRUE(log->append("run.begun", "run", {{"goal", "two"}}, at(3)));
    ASSERT_TRUE(log->append("plan.asked", "run", {{"step", 1}}, at(4)));
    ASSERT_TRUE(log->append("run.ended", "run", {{"status", status}}, at(5)));
    ASSERT_TRUE(log->append("run.ended", "other", {{"status", "done"}}, at(6)));
    ASSERT_TRUE(log->append("note", "", Json::object(), at(7)));
  }
  /// Changes a byte of the line with this number.
  void damage(int number) const {
    std::string text = file_text();
    const std::size_t at = text.find("\"seq\":" + std::to_string(number));
    ASSERT_NE(at, std::string::npos);
    text[text.find("\"type\"", at) + 1] = 'T';
    write_file(text);
  }
  bool is_complete() const { return read_run(layout(), "t", "run")->complete; }
};

TEST_F(RunRecordsTest, AreCompleteWhenWhatIsDamagedIsNotTheirs) {
  fill("done");
  EXPECT_TRUE(is_complete());
  damage(2);
  EXPECT_TRUE(is_complete()) << "before its first record";
  damage(6);
  EXPECT_TRUE(is_complete()) << "behind its end";
  damage(4);
  const auto page = read_run(layout(), "t", "run");
  EXPECT_FALSE(page->complete);
  ASSERT_THAT(page->bad, SizeIs(1));
  EXPECT_THAT(page->bad[0].reason, HasSubstr("check"));
  EXPECT_THAT(page->records, SizeIs(2));
}

TEST_F(RunRecordsTest, OfARunThatCanGoOnEndWithTheThread) {
  fill("budget");
  EXPECT_TRUE(is_complete());
  damage(7);
  EXPECT_FALSE(is_complete());
}

TEST_F(RunRecordsTest, WithoutTheBeginningAreNotComplete) {
  fill("done");
  damage(3);
  EXPECT_FALSE(is_complete());
}

TEST_F(RunRecordsTest, ALineThatIsNotFinishedIsNoneOfThem) {
  auto log = open_log();
  ASSERT_TRUE(log->append("run.begun", "run", {{"goal", "two"}}, at(3)));
  write_file(file_text() + "{\"seq\":3,");
  EXPECT_TRUE(is_complete());
}

TEST_F(RunRecordsTest, ThatAreGoneAreNotTakenForARunThatNeverBegan) {
  fill("done");
  const std::string whole = file_text();
  write_file(whole.substr(0, whole.find("\"seq\":2") - 1));
  EXPECT_EQ(read_run(layout(), "t", "run").error().code, ErrorCode::kDataLoss);
  std::filesystem::remove(layout().thread("t"));
  EXPECT_EQ(read_run(layout(), "t", "run").error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(read_run(layout(), "t", "none").error().code, ErrorCode::kNotFound);
}

TEST_F(RunRecordsTest, AreFoundWithoutTheirNote) {
  fill("done");
  open_log("u");
  const auto noted = find_run_place(layout(), "run");
  ASSERT_TRUE(noted && *noted);
  std::filesystem::remove_all(layout().threads_runs());
  EXPECT_EQ(*look_for_run(layout(), "run"), **noted);
  EXPECT_FALSE(*look_for_run(layout(), "none"));
  std::filesystem::create_directory(layout().threads_runs());
  std::ofstream(layout().thread_of_run("run")) << "{}";
  EXPECT_EQ(*look_for_run(layout(), "run"), **noted);
}

}  // namespace
}  // namespace filecall::client
