// SPDX-License-Identifier: MIT
#include "client/runs/run_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "client/core/digest.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;

RunRecord make_run(const spool::Layout& layout, const std::string& id, int repeat,
                   const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  std::ofstream(layout.run_items(id)) << text;
  RunRecord run;
  run.run_id = id;
  run.plan.setup = {{"repeat", repeat}};
  run.items_digest = digest_of(text);
  run.requests = static_cast<std::int64_t>(lines.size());
  return run;
}

TEST(RunDifference, TellsListsSetupsAndLabelsApart) {
  char pattern[] = "/tmp/filecall-diff-XXXXXX";
  const std::string directory = mkdtemp(pattern);
  const spool::Layout layout(directory);
  std::filesystem::create_directories(layout.runs());
  const RunRecord a = make_run(
      layout, "a", 1,
      {R"({"request_id":"same","metadata":{"vars":{"city":"Rome"}}})",
       R"({"request_id":"label","metadata":{"vars":{"city":"Rom"}}})", R"({"request_id":"gone"})"});
  const RunRecord b = make_run(
      layout, "b", 2,
      {R"({"request_id":"new"})", R"({"request_id":"label","metadata":{"vars":{"city":"Rome"}}})",
       R"({"request_id":"same","metadata":{"vars":{"city":"Rome"}}})"});
  const auto found = compare_run_lists(layout, a, b);
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->in_both, 2);
  EXPECT_THAT(found->only_a.ids, ElementsAre("gone"));
  EXPECT_THAT(found->only_b.ids, ElementsAre("new"));
  EXPECT_THAT(found->other_metadata.ids, ElementsAre("label"));
  ASSERT_EQ(found->setup.size(), 1U);
  EXPECT_EQ(found->setup[0]["path"], "/repeat");
  EXPECT_EQ(run_difference_json(a, b, *found)["only_b"]["count"], 1);
}

TEST(RunDifference, ShowsWhichTurnOfAConversationIsAnother) {
  const Json a = {{"turns", {"one", "two", "three"}}, {"max_tool_rounds", 8}};
  const struct {
    Json b;
    std::vector<std::size_t> turns;
    std::vector<std::string> other;
  } kCases[] = {
      {a, {}, {}},
      {{{"turns", {"one", "zwei", "three"}}, {"max_tool_rounds", 8}}, {2}, {}},
      {{{"turns", {"one", "two"}}, {"max_tool_rounds", 8}}, {3}, {}},
      {{{"turns", {"one", "two", "three", "four"}}, {"max_tool_rounds", 9}},
       {4},
       {"max_tool_rounds"}},
      {{{"turns", a["turns"]}, {"max_tool_rounds", 8}, {"tool_results", {{"look", 1}}}},
       {},
       {"tool_results"}},
      {Json(), {1, 2, 3}, {"max_tool_rounds"}},
      {"text", {1, 2, 3}, {"max_tool_rounds"}},
  };
  for (const auto& one : kCases) {
    const ConversationChange change = compare_conversations("c", a, one.b);
    std::vector<std::size_t> turns;
    for (const TurnChange& turn : change.turns) turns.push_back(turn.turn);
    EXPECT_EQ(turns, one.turns) << one.b;
    EXPECT_EQ(change.other, one.other) << one.b;
  }
  const auto change = compare_conversations("c", a, {{"turns", {"one", "zwei", "three"}}});
  EXPECT_EQ(change.turns[0].a, "two");
  EXPECT_EQ(change.turns[0].b, "zwei");
  EXPECT_TRUE(compare_conversations("c", a, Json()).turns[0].b.is_null());
}

}  // namespace
}  // namespace filecall::client
