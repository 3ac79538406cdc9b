// SPDX-License-Identifier: MIT
#include "worker/proc/tool_groups.h"

#include <gtest/gtest.h>

namespace filecall::worker {
namespace {

TEST(ToolGroups, ANameSaysWhoseItIs) {
  const std::string name = tool_group_prefix(4026531836, 17) + "4711";
  EXPECT_EQ(name, "filecall-4026531836-17-4711");
  EXPECT_EQ(parse_tool_group(name), (ToolGroupName{4026531836, 17, 4711}));
}

TEST(ToolGroups, OtherNamesAreNobodys) {
  for (const char* name : {"", "filecall-", "filecall-worker", "filecall-1", "filecall-1-2",
                           "filecall-1-2-", "filecall-1-2-3-", "filecall-1-2-3x", "filecall-1--3",
                           "filecall-0-2-3", "filecall-1-0-3", "filecall-1-2-0", "filecall-1-2--3",
                           "filecall-1-2-99999999999", "filecall-trial-17", "other-1-2-3"}) {
    EXPECT_EQ(parse_tool_group(name), std::nullopt) << name;
  }
}

TEST(ToolGroups, WhatIsNotThereHasEnded) {
  EXPECT_TRUE(end_run_group("/no/such/place/filecall-1-2-", 3));
  EXPECT_TRUE(end_run_group("/proc/filecall-1-2-", 3));
}

}  // namespace
}  // namespace filecall::worker
