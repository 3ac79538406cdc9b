// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_ids.h"

#include <gtest/gtest.h>

namespace filecall::client::agent_ids {
namespace {

TEST(AgentIds, ParseACallsIdBack) {
  for (const char* run : {"copy", "night-2.of.7", "r.1.2"}) {
    const auto name = parse_call(call(run, 12, 3));
    ASSERT_TRUE(name) << run;
    EXPECT_EQ(name->run, run);
    EXPECT_EQ(name->step, 12);
    EXPECT_EQ(name->n, 3);
  }
}

TEST(AgentIds, TakeNoOtherIdForACalls) {
  for (const char* id : {"", "fix", "fix.2", "fix.v2", ".1.2", "r.1.", "r..2", "r.01.2", "r.1.+2",
                         "r.1.2.preview", "r.1.plan", "r.1.99999999999", "r.1-2"}) {
    EXPECT_FALSE(parse_call(id)) << id;
  }
}

}  // namespace
}  // namespace filecall::client::agent_ids
