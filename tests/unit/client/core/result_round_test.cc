// SPDX-License-Identifier: MIT
#include "client/core/result_round.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

TEST(ResultRound, IsTakenApartAsItIsWritten) {
  for (const int round : {1, 2, 9, 10, 4711}) {
    for (const std::string run : {"r", "tasks-a.result", "a.result-2", "x-3"}) {
      const std::string id = result_id(run, round);
      const auto found = result_round(id);
      ASSERT_TRUE(found) << id;
      EXPECT_EQ(found->run, run);
      EXPECT_EQ(found->round, round);
    }
  }
}

TEST(ResultRound, IsNoneOfOtherIds) {
  for (const char* id :
       {"", "r", ".result", ".result-2", "result", "r.result-", "r.result-0", "r.result-1",
        "r.result-02", "r.result--2", "r.result-+2", "r.result-2x", "r.result-2.1", "r.results",
        "r.result-99999999999999999999", "r.1.plan-2"}) {
    EXPECT_FALSE(result_round(id)) << id;
  }
}

}  // namespace
}  // namespace filecall::client
