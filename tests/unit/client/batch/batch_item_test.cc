// SPDX-License-Identifier: MIT
#include "client/batch/batch_item.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ipc/json.h"
#include "ipc/limits.h"

namespace filecall::client {
namespace {

BatchItem read(std::string_view text, std::optional<std::string_view> stem = {}) {
  auto item = read_batch_item(text, stem, ItemCheck::kFull);
  if (!item) {
    ADD_FAILURE() << text << ": " << item.error();
    return {};
  }
  return *item;
}

std::string problem_of(std::string_view text, std::optional<std::string_view> stem = {}) {
  auto item = read_batch_item(text, stem, ItemCheck::kFull);
  return item ? "" : item.error();
}

TEST(BatchItem, DerivesTheIdFromTheMeaning) {
  const BatchItem a = read(R"({"command":"system.echo","params":{"a":1,"b":2}})");
  const BatchItem b = read(R"( {"params": {"b":2, "a":1}, "command" : "system.echo"} )");
  const BatchItem c = read(R"({"command":"system.echo","params":{"a":1,"b":3}})");
  EXPECT_TRUE(a.is_derived);
  EXPECT_EQ(a.id, b.id);
  EXPECT_NE(a.id, c.id);
  EXPECT_TRUE(a.id.starts_with("system.echo-"));
  EXPECT_EQ(a.id.size(), std::string("system.echo-").size() + 16);
}

TEST(BatchItem, LabelsAreNotPartOfTheIdentity) {
  const BatchItem a = read(R"({"command":"x","params":{},"metadata":{"m":1,"vars":{"c":"Rom"}}})");
  const BatchItem b = read(R"({"command":"x","params":{},"metadata":{"m":1,"vars":{"c":"Rome"}}})");
  const BatchItem c = read(R"({"command":"x","params":{},"metadata":{"m":2}})");
  EXPECT_EQ(a.id, b.id);
  EXPECT_NE(a.id, c.id);
  EXPECT_NE(a.metadata, b.metadata);
}

TEST(BatchItem, ASecondReadingFindsWhatTheFirstFound) {
  using Stem = std::optional<std::string_view>;
  for (const auto& [text, stem] : std::vector<std::pair<std::string_view, Stem>>{
           {R"({"command":"system.echo","params":{"a":1}})", {}},
           {R"({"command":"system.echo","params":{"a":1}})", "file"},
           {R"({"params":{"request_id":"other"},"request_id":"x","command":"system.echo"})", {}},
           {R"({"params":{"command":"other"},"request_id":"x","command":"system.echo"})", "x"}}) {
    const BatchItem first = read(text, stem);
    const auto second = read_batch_item(text, stem, ItemCheck::kTrusted);
    ASSERT_TRUE(second) << text;
    EXPECT_EQ(second->id, first.id) << text;
    EXPECT_EQ(second->command, first.command) << text;
    EXPECT_EQ(second->is_derived, first.is_derived) << text;
    EXPECT_EQ(second->has_id_member, first.has_id_member) << text;
  }
}

TEST(BatchItem, RefusesWhatExceedsARequestWithItsId) {
  const std::string head = R"({"command":"system.echo","params":{"a":")";
  const std::string line =
      head + std::string(limits::kRequestBytes - head.size() - 3, 'x') + "\"}}";
  ASSERT_EQ(line.size(), limits::kRequestBytes);
  EXPECT_NE(problem_of(line).find("the largest request"), std::string::npos) << problem_of(line);
}

TEST(BatchItem, DerivedIdsNeverChangeBetweenVersions) {
  EXPECT_EQ(read(R"({"command":"system.echo","params":{}})").id, "system.echo-f82a18a0b6b26392");
}

TEST(BatchItem, TakesTheIdThatIsStated) {
  const BatchItem item = read(R"({"request_id":"x","command":"system.echo","params":{}})");
  EXPECT_EQ(item.id, "x");
  EXPECT_FALSE(item.is_derived);
}

TEST(BatchItem, AFilesNameIsItsId) {
  EXPECT_EQ(read(R"({"command":"system.echo","params":{}})", "stem").id, "stem");
  EXPECT_NE(problem_of(R"({"request_id":"x","command":"system.echo","params":{}})", "stem")
                .find("differs from the file's name"),
            std::string::npos);
}

TEST(BatchItem, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> rows[] = {
      {"# a comment", ""},
      {"[1]", "object"},
      {R"({"params":{}})", "/command"},
      {R"({"command":7,"params":{}})", "/command"},
      {R"({"request_id":7,"command":"system.echo","params":{}})", "/request_id"},
      {R"({"request_id":"a/b","command":"system.echo","params":{}})", "/request_id"},
      {R"({"request_id":"","command":"system.echo","params":{}})", "/request_id"},
      {R"({"command":"system.echo","params":[]})", "params"},
      {R"({"command":"system.echo","params":{},"priority":99})", "priority"},
      {R"({"command":"a","command":"b","params":{}})", ""},
      {R"({"command":"system.echo","params":{)", ""}};
  for (const auto& [text, part] : rows) {
    const std::string problem = problem_of(text);
    EXPECT_FALSE(problem.empty()) << text;
    EXPECT_NE(problem.find(part), std::string::npos) << text << ": " << problem;
  }
}

TEST(BatchItem, KeepsTheTextAndOnlyAddsTheId) {
  constexpr std::string_view kText =
      R"(  {"command":"system.echo","params":{"n":1.10,"big":12345678901234567890},"x":"kept"} )";
  const BatchItem item = read(kText);
  const Submission submission = make_submission(item, kText, "the \"id\"");
  EXPECT_EQ(submission.bytes, R"({"request_id":"the \"id\"","command":"system.echo",)"
                              R"("params":{"n":1.10,"big":12345678901234567890},"x":"kept"})"
                              "\n");
  EXPECT_EQ(submission.request_id, "the \"id\"");
  EXPECT_EQ(submission.command, "system.echo");
}

TEST(BatchItem, NumbersOccurrencesFromTheSecondOn) {
  EXPECT_EQ(occurrence_id("base", 1), "base");
  EXPECT_EQ(occurrence_id("base", 2), "base-2");
  EXPECT_EQ(occurrence_id("base", 10), "base-10");
}

}  // namespace
}  // namespace filecall::client
