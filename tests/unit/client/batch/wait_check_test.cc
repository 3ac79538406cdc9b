// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "client/batch/batch.h"
#include "client/batch/batch_item.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WaitCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-waits-XXXXXX";
    directory_ = mkdtemp(pattern);
    std::filesystem::create_directories(layout().requests());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  spool::Layout layout() const { return spool::Layout(directory_ + "/root"); }

  /// A line for each: its id (empty: none) and what follows the command.
  std::unique_ptr<Batch> open(const std::vector<std::pair<std::string, std::string>>& lines,
                              const std::string& ending = {}) {
    std::ofstream file(directory_ + "/b.jsonl");
    for (const auto& [id, members] : lines) {
      file << "{" << (id.empty() ? "" : R"("request_id":")" + id + "\",")
           << R"("command":"system.echo","params":{})" << members << "}\n";
    }
    file.close();
    BatchPlan plan;
    plan.id_ending = ending;
    auto batch = Batch::open({directory_ + "/b.jsonl"}, RequestMaker(plan), layout(), -1);
    EXPECT_TRUE(batch);
    return std::move(*batch);
  }
  static BatchCheck check(Batch& batch) {
    const auto ended = [](const std::string& id) -> Result<std::optional<bool>> {
      if (id == "good") return std::optional(true);
      return id == "bad" ? std::optional(false) : std::nullopt;
    };
    auto checked = batch.check(false, {}, ended);
    EXPECT_TRUE(checked);
    return std::move(*checked);
  }

  std::string directory_;
};

TEST_F(WaitCheckTest, NamesTheLineOfWhatCannotBe) {
  struct Row {
    std::vector<std::pair<std::string, std::string>> lines;
    std::string problem;
  };
  const Row rows[] = {
      {{{"a", ""}, {"b", R"(,"after":["zz"])"}},
       "b.jsonl:2: /after: 'b' waits for 'zz', which is not in the input"},
      {{{"a", R"(,"after":["a"])"}}, "b.jsonl:1: /after: 'a' waits for itself"},
      {{{"s", ""},
        {"a", R"(,"after":["b"])"},
        {"b", R"(,"after":["s","c"])"},
        {"c", R"(,"after":["a"])"}},
       "b.jsonl:2: /after: requests wait for each other in a circle: 'a' waits for 'b', that for "
       "'c', that for 'a'"},
      {{{"a", R"(,"after":"b")"}}, "/after: must be an array of request ids"},
      {{{"a", R"(,"after":["b",7])"}}, "/after/1: is no request id"},
      {{{"a", R"(,"after":["x/y"])"}}, "/after/0: is no request id"},
      {{{"a", R"(,"after":[],"after_any":"any")"}}, "/after_any: must be \"success\" or \"end\""},
      {{{"a", R"(,"after_any":"end")"}}, "/after_any: says nothing without after"},
  };
  for (const Row& row : rows) {
    const auto batch = open(row.lines);
    EXPECT_THAT(check(*batch).problems, ElementsAre(HasSubstr(row.problem)));
  }
}

TEST_F(WaitCheckTest, KnowsWhatEndedInTheRootAndDerivedIds) {
  auto batch = open({{"", ""}, {"", ""}, {"b", R"(,"after":["good","bad"],"after_any":"end")"}});
  ASSERT_TRUE(check(*batch).is_good());
  EXPECT_EQ(batch->waits().ended().size(), 2U);
  EXPECT_EQ(batch->waits().members_text("b"), R"("after":["good","bad"],"after_any":"end")");
  auto feed = batch->feed();
  const std::string derived = feed->next()->submission.request_id;
  const std::string second = feed->next()->submission.request_id;
  EXPECT_EQ(second, derived + "-2");
  auto again = open({{"", ""}, {"", ""}, {"b", R"(,"after":[")" + second + "\"]"}});
  EXPECT_THAT(check(*again).problems, IsEmpty());
}

TEST_F(WaitCheckTest, DropsNoTextThatSaysWhomItWaitsFor) {
  auto batch =
      open({{"a", ""}, {"", R"(,"after":["a"],"after_any":"end")"}, {"c", R"(,"after":[])"}});
  const BatchCheck checked = check(*batch);
  ASSERT_TRUE(checked.is_good());
  EXPECT_THAT(checked.warnings, IsEmpty());
  EXPECT_EQ(batch->waits().waiting(), 1);
  auto feed = batch->feed();
  for (int i = 0; i < 3; ++i) {
    const auto offer = feed->next();
    ASSERT_TRUE(offer);
    EXPECT_THAT(offer->submission.bytes, testing::Not(HasSubstr("after")));
  }
}

TEST_F(WaitCheckTest, AsksNothingAnewWhenTheOrderIsEdited) {
  const auto plain = read_batch_item(R"({"command":"c","params":{}})", {}, ItemCheck::kFull);
  const auto waits = read_batch_item(
      R"({"command":"c","params":{},"after":["a"],"after_any":"end"})", {}, ItemCheck::kFull);
  ASSERT_TRUE(plain && waits);
  EXPECT_EQ(plain->id, waits->id);
}

TEST_F(WaitCheckTest, EndsTheNamesAsTheIdsOfAFreshRun) {
  auto batch = open({{"a", ""}, {"b", R"(,"after":["a","good"])"}}, "+night");
  ASSERT_TRUE(check(*batch).is_good());
  EXPECT_EQ(batch->waits().members_text("b+night"), R"("after":["a+night","good"])");
}

TEST_F(WaitCheckTest, KeepsNothingWhereNobodyWaits) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (int i = 0; i < 100; ++i) lines.emplace_back("a" + std::to_string(i), "");
  auto batch = open(lines);
  ASSERT_TRUE(check(*batch).is_good());
  EXPECT_TRUE(batch->waits().empty());
}

}  // namespace
}  // namespace filecall::client
