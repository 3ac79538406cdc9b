// SPDX-License-Identifier: MIT
#include "client/batch/batch.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "os/io.h"

namespace filecall::client {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class BatchTest : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-batch-XXXXXX";
    directory_ = mkdtemp(pattern);
    std::filesystem::create_directories(layout().requests());
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  spool::Layout layout() const { return spool::Layout(directory_ + "/root"); }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = directory_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }
  std::unique_ptr<Batch> open(const std::vector<std::string>& inputs) const {
    auto batch = Batch::open(inputs, RequestMaker(BatchPlan{}), layout(), -1);
    EXPECT_TRUE(batch) << batch.error().message;
    return std::move(batch).value();
  }
  ErrorCode open_error(const std::vector<std::string>& inputs) const {
    return Batch::open(inputs, RequestMaker(BatchPlan{}), layout(), -1).error().code;
  }
  static std::vector<std::string> ids(Batch& batch, PriorityPasses passes = {}) {
    return ids(*batch.feed(std::move(passes)));
  }
  static std::vector<std::string> ids(BatchSubmissions& feed) {
    std::vector<std::string> out;
    for (;;) {
      auto next = feed.next();
      if (!next) ADD_FAILURE() << next.error().message;
      if (next && next->kind == Offer::Kind::kNextTurn) continue;
      if (!next || next->kind != Offer::Kind::kSubmission) return out;
      out.push_back(next->submission.request_id);
    }
  }

  std::string directory_;
};

constexpr const char* kEcho = R"({"command":"system.echo","params":{}})";

TEST_F(BatchTest, SaysHowToMakeLinesOfAnArrayAndOfPrettyPrintedJson) {
  for (const std::string& text :
       {"[" + std::string(kEcho) + "]", std::string("[\n  {\n"),
        std::string("{\n  \"command\": \"x\"\n}\n"), std::string("{\"command\": \"x\",\n}")}) {
    const std::string path = write("b.json", text);
    const auto check = open({path})->check();
    ASSERT_TRUE(check);
    EXPECT_EQ(check->problem_count, 1) << text;
    EXPECT_THAT(check->problems, ElementsAre(AllOf(HasSubstr("jq -c"), HasSubstr("b.json"))));
  }
}

TEST_F(BatchTest, NamesMembersThatNobodyKnows) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text +=
        fmt::format(R"({{"command":"x","params":{{"n":{}}},"timeout":5,"prioriti":1}})", i) + "\n";
  }
  const std::string path = write("b.jsonl", text + R"({"command":"x","params":{},"mine":1})");
  const auto check = open({path})->check();
  ASSERT_TRUE(check && check->is_good());
  EXPECT_THAT(
      check->warnings,
      ElementsAre(AllOf(HasSubstr("b.jsonl:1"), HasSubstr("priority?"), HasSubstr("(3 requests")),
                  AllOf(HasSubstr("timeout_ms?"), HasSubstr("(3 requests")),
                  AllOf(HasSubstr("b.jsonl:4"), HasSubstr("/mine"), HasSubstr("metadata"))));
  const auto strict = open({path})->check(true);
  ASSERT_TRUE(strict);
  EXPECT_EQ(strict->problem_count, 4);
  // All that one has, so that they can be corrected at once.
  EXPECT_THAT(strict->problems.front(), AllOf(HasSubstr("priority?"), HasSubstr("timeout_ms?")));
  EXPECT_TRUE(strict->warnings.empty());
}

TEST_F(BatchTest, EndsIdsWithTheRun) {
  const std::string path =
      write("b.jsonl", std::string(R"({"request_id":"mine","command":"x","params":{}})") + "\n" +
                           kEcho + "\n" + kEcho);
  BatchPlan plan;
  plan.id_ending = "+night";
  auto batch = Batch::open({path}, RequestMaker(plan), layout(), -1);
  ASSERT_TRUE(batch);
  EXPECT_EQ((*batch)->name(), "b.jsonl+night");
  ASSERT_TRUE((*batch)->check()->is_good());
  const auto named = ids(**batch);
  ASSERT_EQ(named.size(), 3u);
  EXPECT_EQ(named[0], "mine+night");
  EXPECT_TRUE(named[1].ends_with("+night")) << named[1];
  EXPECT_EQ(named[2], named[1] + "-2");
}

TEST_F(BatchTest, FeedsLinesInOrderWithStableIds) {
  const std::string path =
      write("b.jsonl", std::string(kEcho) + "\n\n" +
                           R"({"request_id":"mine","command":"x","params":{}})" + "\n" + kEcho +
                           "\n" + kEcho);
  auto batch = open({path});
  EXPECT_EQ(batch->name(), "b.jsonl");
  const auto check = batch->check();
  ASSERT_TRUE(check && check->is_good()) << check->problems.front();
  EXPECT_EQ(check->requests, 4);
  const auto first = ids(*batch);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first[1], "mine");
  EXPECT_EQ(first[2], first[0] + "-2");
  EXPECT_EQ(first[3], first[0] + "-3");
  EXPECT_EQ(ids(*batch), first);
}

TEST_F(BatchTest, ListsAllProblemsWithTheirPlaces) {
  const std::string path = write("bad.jsonl",
                                 "nonsense\n"
                                 R"({"request_id":"a","command":"x","params":{"v":1}})"
                                 "\n# no comments\n"
                                 R"({"request_id":"a","command":"x","params":{"v":2}})"
                                 "\n");
  const auto check = open({path})->check();
  ASSERT_TRUE(check);
  EXPECT_EQ(check->problem_count, 3);
  EXPECT_THAT(check->problems,
              ElementsAre(StartsWith(path + ":1: "), StartsWith(path + ":3: "),
                          StartsWith(path + ":4: 'a': the id was used before, in " + path +
                                     ":2, with other content")));
}

TEST_F(BatchTest, BoundsTheListOfProblemsButCountsAll) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "bad\n";
  const auto check = open({write("bad.jsonl", text)})->check();
  ASSERT_TRUE(check);
  EXPECT_EQ(check->problem_count, 1000);
  ASSERT_EQ(check->problems.size(), Batch::kProblemsMax);
  EXPECT_THAT(check->problems.back(), HasSubstr("bad.jsonl:20: "));
}

TEST_F(BatchTest, AnEqualRequestThatExistsIsNoConflict) {
  const std::string request = R"({"request_id":"a","command":"x","params":{"v":1,"w":2}})";
  write("root/requests/a.json", R"({ "params": {"w":2,"v":1}, "command":"x", "request_id":"a" })");
  EXPECT_TRUE(open({write("b.jsonl", request)})->check()->is_good());
}

TEST_F(BatchTest, AnotherRequestOfTheSameIdIsAConflict) {
  write("root/requests/a.json", R"({"request_id":"a","command":"x","params":{"v":2}})");
  write("root/requests/torn.json", R"({"request_id":"torn",)");
  const auto check = open({write("b.jsonl", R"({"request_id":"a","command":"x","params":{"v":1}})"
                                            "\n"
                                            R"({"request_id":"torn","command":"x","params":{}})")})
                         ->check();
  ASSERT_TRUE(check);
  EXPECT_THAT(check->problems, ElementsAre(HasSubstr("a.json has other content"),
                                           HasSubstr("torn.json has other content")));
}

TEST_F(BatchTest, AConflictIsFoundHoweverManyRequestsComeBeforeIt) {
  write("root/requests/r199.json", R"({"request_id":"r199","command":"x","params":{"v":2}})");
  write("root/requests/r150.json", R"({"request_id":"r150","command":"x","params":{"v":1}})");
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text +=
        R"({"request_id":"r)" + std::to_string(i) + R"(","command":"x","params":{"v":1}})" + "\n";
  }
  const auto check = open({write("b.jsonl", text)})->check();
  ASSERT_TRUE(check);
  EXPECT_THAT(check->problems, ElementsAre(HasSubstr("r199.json has other content")));
}

TEST_F(BatchTest, AFolderGivesItsRequestFilesAndNothingElse) {
  write("in/one.json", kEcho);
  write("in/two.json", R"({"request_id":"two","command":"x","params":{}})");
  write("in/.hidden.json", "x");
  write("in/notes.txt", "x");
  write("in/sub.json/deep.json", "x");
  auto batch = open({directory_ + "/in/"});
  EXPECT_EQ(batch->name(), "in");
  const auto check = batch->check();
  ASSERT_TRUE(check && check->is_good()) << check->problems.front();
  write("in/late.json", "not checked, so not dropped");
  write("in/later.json", kEcho);
  std::filesystem::remove(directory_ + "/in/late.json");
  EXPECT_THAT(ids(*batch), UnorderedElementsAre("one", "two"));
}

TEST_F(BatchTest, DuplicatesAreFoundAcrossInputs) {
  write("in/a.json", kEcho);
  const std::string lines = write("b.jsonl", R"({"request_id":"a","command":"x","params":{}})");
  const auto check = open({lines, directory_ + "/in"})->check();
  ASSERT_TRUE(check);
  EXPECT_THAT(check->problems, ElementsAre(StartsWith(directory_ +
                                                      "/in/a.json: 'a': the id was "
                                                      "used before, in " +
                                                      lines + ":1")));
}

TEST_F(BatchTest, StandardInputIsKeptBeforeItIsUsed) {
  UniqueFd input(::memfd_create("stdin", MFD_CLOEXEC));
  ASSERT_TRUE(write_all(input.get(), kEcho, "stdin"));
  ::lseek(input.get(), 0, SEEK_SET);
  auto batch = Batch::open({"-"}, RequestMaker(BatchPlan{}), layout(), input.get());
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_THAT((*batch)->sources()[0].path, StartsWith(layout().client_batches() + "/stdin-"));
  EXPECT_EQ(read_file((*batch)->sources()[0].path, 1000).value(), kEcho);
  EXPECT_TRUE((*batch)->check()->is_good());
}

TEST_F(BatchTest, InputThatChangesAfterItsCheckIsNotDropped) {
  const std::string path = write("b.jsonl", kEcho);
  auto batch = open({path});
  ASSERT_TRUE(batch->check()->is_good());
  write("b.jsonl", std::string(kEcho) + "\n" + R"({"request_id":"new","command":"x","params":{}})");
  EXPECT_FALSE(batch->feed()->next());
}

TEST_F(BatchTest, ATurnPassesOverFewRequestsOfOtherPriorities) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += fmt::format(R"({{"request_id":"r{}","command":"x","params":{{}},"priority":{}}})", i,
                        i == 2999 ? 5 : 0) +
            "\n";
  }
  const auto batch = open({write("b.jsonl", text)});
  const auto check = batch->check();
  ASSERT_TRUE(check && check->is_good());
  const auto feed = batch->feed(PriorityPasses(check->priorities, check->has_usual_priority, 0));
  int turns = 0;
  for (;; ++turns) {
    const auto offer = feed->next();
    ASSERT_TRUE(offer);
    ASSERT_NE(offer->kind, Offer::Kind::kEnd);
    if (offer->kind == Offer::Kind::kNextTurn) continue;
    EXPECT_EQ(offer->submission.request_id, "r2999");
    break;
  }
  EXPECT_GE(turns, 10);
  EXPECT_EQ(ids(*feed).size(), 2999U);
}

TEST_F(BatchTest, TheLargerPriorityIsFedFirstAndDerivedIdsStayWhatTheyAre) {
  const auto line = [](const std::string& members) {
    return R"({"command":"x","params":{})" + members + "}\n";
  };
  const std::string path =
      write("b.jsonl", line("") + line(R"(,"priority":-2)") + line(R"(,"priority":7)") +
                           line(R"(,"request_id":"stated","priority":7)") +
                           line(R"(,"request_id":"usual")"));
  auto batch = open({path});
  const auto check = batch->check();
  ASSERT_TRUE(check && check->is_good());
  EXPECT_THAT(check->priorities, ElementsAre(-2, 7));
  EXPECT_TRUE(check->has_usual_priority);
  const auto inputs = ids(*batch);
  ASSERT_EQ(inputs.size(), 5U);
  const auto& [first, second, third] = std::tie(inputs[0], inputs[1], inputs[2]);
  EXPECT_EQ(second, first + "-2");
  EXPECT_THAT(ids(*batch, {check->priorities, true, 0}),
              ElementsAre(third, "stated", first, "usual", second));
  EXPECT_THAT(ids(*batch, {check->priorities, true, 7}),
              ElementsAre(first, third, "stated", "usual", second));
}

TEST_F(BatchTest, AFeedGivesAllThatItWouldWhenAnotherWasReadBeforeIt) {
  const std::string lines = std::string(kEcho) + "\n" + kEcho + "\n" + kEcho + "\n";
  BatchPlan plan;
  plan.selection.limit = 2;
  auto batch = Batch::open({write("b.jsonl", lines)}, RequestMaker(plan), layout(), -1);
  ASSERT_TRUE(batch);
  ASSERT_TRUE((*batch)->check()->is_good());
  const auto feed = (*batch)->feed();
  const auto read = ids(**batch);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(ids(*feed), read);
}

TEST_F(BatchTest, LinesOfOpenAisBatchesBecomeRequests) {
  const std::string line =
      R"({"custom_id":"a/1","url":"/v1/responses","body":{"model":"m","input":"hi"}})";
  const std::string path = write("b.jsonl", line + "\n" + kEcho);
  auto batch = open({path});
  ASSERT_TRUE(batch->check()->is_good());
  const auto found = ids(*batch);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0], StartsWith("a_1-")) << "what cannot name a file is replaced";
  EXPECT_THAT(found[1], StartsWith("system.echo-"));
  auto again = open({path});
  ASSERT_TRUE(again->check()->is_good());
  EXPECT_EQ(ids(*again), found) << "the ids are the same in every run";
}

TEST_F(BatchTest, RowsOfATableBecomeRequests) {
  const std::string path = write("rows.csv", "id,q\nx,one\n,two\n,two\n");
  BatchPlan plan;
  plan.templates = {{"ask", {{"command", "system.echo"}, {"params", {{"q", "{{q}}"}}}}, ""}};
  plan.matrix.repeat = 2;
  auto batch = Batch::open({path}, RequestMaker(plan), layout(), -1);
  ASSERT_TRUE(batch) << batch.error().message;
  const auto check = (*batch)->check();
  EXPECT_TRUE(check->is_good());
  EXPECT_EQ(check->requests, 6);
  const auto found = ids(**batch);
  ASSERT_EQ(found.size(), 6U);
  EXPECT_THAT(found[0], StartsWith("x-"));
  EXPECT_THAT(found[2], StartsWith("row-"));
  EXPECT_EQ(found[4], found[2] + "-2") << "rows without names may say the same";
  EXPECT_NE(found[0], found[1]);
}

TEST_F(BatchTest, ACustomIdThatOccursTwiceIsToldWithBothLines) {
  const auto line = [](const char* input) {
    return fmt::format(
        "{{\"custom_id\":\"a\",\"url\":\"/v1/responses\",\"body\":{{\"input\":\"{}\"}}}}\n", input);
  };
  const std::string path = write("b.jsonl", line("x") + line("y") + line("x"));
  const auto check = open({path})->check();
  ASSERT_TRUE(check);
  EXPECT_THAT(check->problems,
              ElementsAre(AllOf(StartsWith(path + ":2: 'a'"), HasSubstr("custom_id"),
                                HasSubstr(path + ":1, with other content")),
                          AllOf(StartsWith(path + ":3: 'a'"),
                                HasSubstr(path + ":1, with the same content"))));
}

TEST_F(BatchTest, RefusesWhatIsNeitherFileNorFolder) {
  EXPECT_EQ(open_error({directory_ + "/none"}), ErrorCode::kNotFound);
  EXPECT_EQ(open_error({"/dev/null"}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(open_error({"-", "-"}), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace filecall::client
