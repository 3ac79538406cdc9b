// SPDX-License-Identifier: MIT
#include "client/agent/agent_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<AgentOrder> orders_of(const std::string& text, std::int64_t repeat = 1) {
  auto tasks = AgentTasks::read(text, "night", repeat, {});
  EXPECT_TRUE(tasks.has_value()) << (tasks ? "" : tasks.error().message);
  std::vector<AgentOrder> orders;
  while (tasks) {
    auto order = tasks->next();
    if (!order || !*order) break;
    orders.push_back(**std::move(order));
  }
  EXPECT_EQ(tasks ? tasks->count() : 0, std::ssize(orders));
  return orders;
}

std::string problem_of(const std::string& text) {
  const auto tasks = AgentTasks::read(text, "night", 1, {});
  EXPECT_FALSE(tasks.has_value());
  return tasks ? "" : tasks.error().message;
}

TEST(AgentTasks, NameRunsByTheFileAndTheIdOfTheLine) {
  const auto orders = orders_of("{\"id\":\"t1\",\"goal\":\"A\"}\n\n{\"id\":\"t2\",\"goal\":\"B\"}");
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0].run, "night-t1");
  EXPECT_EQ(orders[0].thread, "night-t1") << "each has a thread, so that they go on at once";
  EXPECT_EQ(orders[1].settings.goal, "B");
  EXPECT_EQ(orders[1].settings.catalog_request, "night.catalog") << "all take the same catalog";
}

TEST(AgentTasks, RepeatEachLineWithNumbers) {
  std::vector<std::string> runs;
  for (const AgentOrder& order : orders_of("{\"id\":\"t\",\"goal\":\"A\"}\n", 3)) {
    runs.push_back(order.run);
    EXPECT_EQ(order.metadata["item"], "t");
  }
  EXPECT_THAT(runs, ElementsAre("night-t-r1", "night-t-r2", "night-t-r3"));
}

TEST(AgentTasks, GiveALineWithoutIdTheSameIdEachTime) {
  const std::string text = "{\"goal\":\"A\",\"wanted\":3}\n";
  const auto first = orders_of(text);
  const auto second = orders_of("\n" + text);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].run, second[0].run) << "the same command goes on";
  EXPECT_EQ(first[0].run, orders_of("{\"goal\":\"A\",\"wanted\":4}\n")[0].run)
      << "a label that was corrected makes no run again";
  EXPECT_NE(first[0].run, orders_of("{\"goal\":\"B\",\"wanted\":3}\n")[0].run);
  EXPECT_EQ(first[0].metadata["vars"]["wanted"], 3) << "graders see all members";
}

TEST(AgentTasks, TakeNumbersForIds) {
  const auto orders = orders_of("{\"id\":17,\"goal\":\"A\"}\n{\"id\":\"18\",\"goal\":\"A\"}\n");
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_EQ(orders[0].run, "night-17");
  EXPECT_EQ(orders[1].run, "night-18");
}

TEST(AgentTasks, CutALongGoalBetweenCharactersForTheTitle) {
  std::string goal;
  for (int i = 0; i < 60; ++i) goal += "x\xC3\xA4";
  const auto orders = orders_of(dump_json(Json{{"goal", goal}}));
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_TRUE(is_valid_utf8(orders[0].thread_title));
  EXPECT_LE(orders[0].thread_title.size(), 100U);
  EXPECT_EQ(orders[0].settings.goal, goal);
}

TEST(AgentTasks, NameEveryLineThatIsNoTask) {
  const std::string said = problem_of(
      "{\"goal\":\"A\",\"id\":\"same\"}\nno json\n{\"id\":\"x\"}\n{\"goal\":\"A\",\"id\":\"a b\"}\n"
      "{\"goal\":\"B\",\"id\":\"same\"}\n");
  EXPECT_THAT(said, HasSubstr("line 2: "));
  EXPECT_THAT(said, HasSubstr("line 3: it needs a goal"));
  EXPECT_THAT(said, HasSubstr("line 4: id: letters"));
  EXPECT_THAT(said, HasSubstr("line 5: id same: a line before it has it"));
  EXPECT_THAT(problem_of("{\"goal\":\"A\"}\n{\"goal\":\"A\",\"wanted\":1}\n"),
              HasSubstr("line 2: a line before it has the same goal"));
  for (const char* id : {"true", "1.5", "null", "[]", "\"\""}) {
    EXPECT_THAT(problem_of(fmt::format("{{\"goal\":\"A\",\"id\":{}}}", id)),
                HasSubstr("line 1: id: letters"));
  }
}

TEST(AgentTasks, BoundWhatTheySayOfABadFile) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "no\n";
  EXPECT_LT(problem_of(text).size(), 10'000U);
}

}  // namespace
}  // namespace filecall::client
