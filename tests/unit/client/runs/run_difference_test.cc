// SPDX-License-Identifier: MIT
#include "client/runs/run_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace filecall::client {
namespace {

using testing::ElementsAre;

TEST(RunDifference, TellsListsSetupsAndLabelsApart) {
  char pattern[] = "/tmp/filecall-diff-XXXXXX";
  const std::string directory = mkdtemp(pattern);
  const spool::Layout layout(directory);
  std::filesystem::create_directories(layout.runs());
  std::ofstream(layout.run_items("a"))
      << R"({"request_id":"same","metadata":{"vars":{"city":"Rome"}}})"
      << "\n"
      << R"({"request_id":"label","metadata":{"vars":{"city":"Rom"}}})"
      << "\n"
      << R"({"request_id":"gone"})"
      << "\n";
  std::ofstream(layout.run_items("b"))
      << R"({"request_id":"new"})"
      << "\n"
      << R"({"request_id":"label","metadata":{"vars":{"city":"Rome"}}})"
      << "\n"
      << R"({"request_id":"same","metadata":{"vars":{"city":"Rome"}}})"
      << "\n";
  RunRecord a;
  a.run_id = "a";
  a.plan.setup = {{"repeat", 1}};
  RunRecord b;
  b.run_id = "b";
  b.plan.setup = {{"repeat", 2}};
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

}  // namespace
}  // namespace filecall::client
