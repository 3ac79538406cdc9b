// SPDX-License-Identifier: MIT
#include "client/store/run_history.h"

#include <gtest/gtest.h>

#include "tests/unit/client/store/state_store_fixture.h"

namespace filecall::client {
namespace {

class RunHistoryTest : public StateStoreFixture {
 protected:
  void put(const std::string& id, const std::string& command, RequestState state,
           std::int64_t run_ms) {
    RequestRow one = row(id);
    one.command = command;
    one.progress.state = state;
    one.finished_at = kNow;
    one.run_ms = run_ms;
    ASSERT_TRUE(store_->put(one));
  }

  std::unique_ptr<StateStore> store_ = open();
};

TEST_F(RunHistoryTest, TheMedianIsOfTheSuccessesOfThatCommand) {
  put("a", "tool.run", RequestState::kSuccess, 10);
  put("b", "tool.run", RequestState::kSuccess, 30);
  put("c", "tool.run", RequestState::kGaveUp, 900);
  put("d", "llm.chat", RequestState::kSuccess, 900);
  EXPECT_EQ(*median_run_ms(path_, "tool.run"), std::nullopt) << "two are too few";
  put("e", "tool.run", RequestState::kSuccess, 5000);
  EXPECT_EQ(*median_run_ms(path_, "tool.run"), 30);
  EXPECT_EQ(*median_run_ms(path_, "file.edit"), std::nullopt);
}

TEST_F(RunHistoryTest, WithoutADatabaseNothingIsKnownAndNoneIsMade) {
  EXPECT_EQ(*median_run_ms(path_ + "-other", "tool.run"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path_ + "-other"));
}

}  // namespace
}  // namespace filecall::client
