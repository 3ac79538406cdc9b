// SPDX-License-Identifier: MIT
#include "client/turns/transcript.h"

#include <gmock/gmock.h>

#include "tests/unit/client/turns/talks.h"

namespace filecall::client {
namespace {

Conversation told(const std::vector<std::shared_ptr<const Response>>& answers) {
  Conversation conversation = talk({{"turns", {"one", "two"}}, {"tool_results", {{"look", "18"}}}});
  for (const auto& answer : answers) {
    const auto asks = conversation.take_asks();
    if (!asks.empty()) conversation.take(asks.front().request_id, answer);
  }
  return conversation;
}

TEST(Transcript, ShowsEachTurnWithItsToolsAndItsAnswer) {
  const Conversation conversation =
      told({called({{"look", {{"city", "Paris"}}}}), spoken("It is 18."), spoken("Bye")});
  const Json turns = transcript_of(conversation);
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[0]["user"], "one");
  EXPECT_EQ(turns[0]["answer"], "It is 18.");
  EXPECT_EQ(
      turns[0]["tool_calls"],
      Json::array({{{"name", "look"}, {"arguments", {{"city", "Paris"}}}, {"result", "18"}}}));
  EXPECT_EQ(turns[1]["turn"], 2);
  EXPECT_EQ(turns[1]["answer"], "Bye");
  EXPECT_EQ(transcript_text(turns),
            "[user]\none\n\n[tool look]\n{\"city\":\"Paris\"}\n-> 18\n\n[assistant]\nIt is "
            "18.\n\n[user]\ntwo\n\n[assistant]\nBye");
  EXPECT_EQ(transcript_question(turns), "one\n\ntwo");
  const ConversationCounts counts = count_steps(conversation);
  EXPECT_EQ(counts.turns, 2);
  EXPECT_EQ(counts.tool_calls, 1);
  EXPECT_EQ(counts.tool_errors, 0);
}

TEST(Transcript, ATurnThatFailedSaysWhy) {
  const Conversation conversation =
      told({spoken("A1"), failed_with(ErrorCode::kInternal, "HTTP 500")});
  const Json turns = transcript_of(conversation);
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[1]["error"], "HTTP 500");
  EXPECT_FALSE(turns[1].contains("answer"));
  EXPECT_EQ(count_steps(conversation).turns, 1);
}

TEST(Transcript, WhatHasNotBegunHasOneTurnWithoutAnAnswer) {
  const Json turns = transcript_of(told({}));
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_FALSE(turns[0].contains("answer"));
}

}  // namespace
}  // namespace filecall::client
