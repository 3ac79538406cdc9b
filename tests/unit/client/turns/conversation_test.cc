// SPDX-License-Identifier: MIT
#include "client/turns/conversation.h"

#include <gmock/gmock.h>

#include "base/stem.h"
#include "tests/unit/client/turns/talks.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

const Json kThreeTurns = {{"turns", {"one", "two", "three"}}};
const Json kWithTool = {{"turns", {"one", "two"}},
                        {"tools",
                         {{"look",
                           {{"type", "object"},
                            {"required", {"city"}},
                            {"properties", {{"city", {{"type", "string"}}}}}}}}}};

Conversation::Ask only_ask(Conversation& conversation) {
  auto asks = conversation.take_asks();
  EXPECT_THAT(asks, SizeIs(1));
  return asks.empty() ? Conversation::Ask{} : asks.front();
}

TEST(Conversation, TheFirstRequestIsTheBatchsOwn) {
  Conversation conversation = talk(kThreeTurns);
  const auto ask = only_ask(conversation);
  EXPECT_EQ(ask.request_id, "fr-0123456789abcdef");
  EXPECT_EQ(ask.request, kFirstRequest);
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
}

TEST(Conversation, EachAnswerLeadsToTheNextTurnWithAllThatWasSaid) {
  Conversation conversation = talk(kThreeTurns);
  conversation.take(only_ask(conversation).request_id, spoken("A1"));
  const auto second = only_ask(conversation);
  EXPECT_THAT(second.request_id, StartsWith("fr-0123456789abcdef.t2-"));
  EXPECT_EQ(second.command, "llm.chat");
  EXPECT_EQ(second.request["params"], Json({{"model", "m"},
                                            {"messages",
                                             {{{"role", "user"}, {"content", "one"}},
                                              {{"role", "assistant"}, {"content", "A1"}},
                                              {{"role", "user"}, {"content", "two"}}}}}));
  EXPECT_EQ(
      second.request["metadata"],
      Json({{"item", "fr"}, {"repeat", 1}, {"conversation", "fr-0123456789abcdef"}, {"turn", 2}}));
  conversation.take(second.request_id, spoken("A2"));
  const auto third = only_ask(conversation);
  EXPECT_THAT(third.request["params"]["messages"], SizeIs(5));
  conversation.take(third.request_id, spoken("A3"));
  EXPECT_EQ(conversation.state(), Conversation::State::kEnded);
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
}

TEST(Conversation, AMessagesTemplateAndASystemStayInEachTurn) {
  const Json request = {{"command", "llm.chat"},
                        {"params",
                         {{"system", "be brief"},
                          {"messages",
                           {{{"role", "user"}, {"content", "example"}},
                            {{"role", "assistant"}, {"content", "shown"}},
                            {{"role", "user"}, {"content", "one"}}}}}}};
  Conversation conversation(script_of(kThreeTurns), "x", request);
  conversation.take(only_ask(conversation).request_id, spoken("A1"));
  const auto second = only_ask(conversation);
  EXPECT_EQ(second.request["params"]["system"], "be brief");
  EXPECT_THAT(second.request["params"]["messages"], SizeIs(5));
}

TEST(Conversation, AnotherAnswerLeadsToAnotherIdAndTheSameToTheSame) {
  const auto id_after = [](const std::string& answer) {
    Conversation conversation = talk(kThreeTurns);
    conversation.take(only_ask(conversation).request_id, spoken(answer));
    return only_ask(conversation).request_id;
  };
  EXPECT_EQ(id_after("A"), id_after("A"));
  EXPECT_NE(id_after("A"), id_after("B"));
}

TEST(Conversation, AnEditedLaterTurnChangesNoEarlierRequest) {
  Conversation before = talk(kThreeTurns);
  Conversation after = talk({{"turns", {"one", "two", "other"}}});
  before.take(only_ask(before).request_id, spoken("A1"));
  after.take(only_ask(after).request_id, spoken("A1"));
  const auto second = only_ask(before);
  EXPECT_EQ(second.request_id, only_ask(after).request_id);
  before.take(second.request_id, spoken("A2"));
  after.take(second.request_id, spoken("A2"));
  EXPECT_NE(only_ask(before).request_id, only_ask(after).request_id);
}

TEST(Conversation, ALongNameStillLeavesRoomInAFilesName) {
  Conversation conversation(script_of(kWithTool), std::string(200, 'n'), kFirstRequest);
  conversation.take(only_ask(conversation).request_id, called({{"look", {{"city", "Paris"}}}}));
  const auto tool = only_ask(conversation);
  EXPECT_TRUE(is_valid_stem(tool.request_id)) << tool.request_id;
}

TEST(Conversation, AFailedTurnGivesUpTheRestAndSaysWhichItWas) {
  Conversation conversation = talk(kThreeTurns);
  conversation.take(only_ask(conversation).request_id, spoken("A1"));
  conversation.take(only_ask(conversation).request_id,
                    failed_with(ErrorCode::kInvalidArgument, "HTTP 400: no such model"));
  EXPECT_EQ(conversation.state(), Conversation::State::kGaveUp);
  EXPECT_EQ(conversation.reason(), "turn 2: HTTP 400: no such model");
  EXPECT_EQ(conversation.turns_left(), 1);
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
}

TEST(Conversation, AnEmptyAnswerIsNoBeginningOfAFurtherTurn) {
  Conversation conversation = talk(kThreeTurns);
  conversation.take(only_ask(conversation).request_id, spoken(""));
  EXPECT_EQ(conversation.state(), Conversation::State::kGaveUp);
  EXPECT_THAT(conversation.reason(), HasSubstr("empty text"));
  Conversation last = talk({{"turns", {"one"}}});
  last.take(only_ask(last).request_id, spoken(""));
  EXPECT_EQ(last.state(), Conversation::State::kEnded);
}

TEST(Conversation, ARefusalIsAnAnswerThatTheNextTurnFollows) {
  Conversation conversation = talk(kThreeTurns);
  Response refusal;
  refusal.data = {{"text", ""}, {"refusal", "I cannot."}, {"finish_reason", "refusal"}};
  conversation.take(only_ask(conversation).request_id, std::make_shared<const Response>(refusal));
  EXPECT_EQ(only_ask(conversation).request["params"]["messages"][1]["content"], "I cannot.");
}

TEST(Conversation, ADeclaredToolRunsAndItsResultGoesToTheModel) {
  Conversation conversation = talk(kWithTool);
  const auto first = only_ask(conversation);
  conversation.take(first.request_id, called({{"look", {{"city", "Paris"}}}}));
  const auto tool = only_ask(conversation);
  EXPECT_EQ(tool.command, "tool.run");
  EXPECT_THAT(tool.request_id, StartsWith("fr-0123456789abcdef.t1.r1.c1-"));
  EXPECT_EQ(tool.request["params"]["tool"], "look");
  EXPECT_EQ(tool.request["params"]["args"], Json({{"city", "Paris"}}));
  conversation.take(tool.request_id, printed("18 degrees\n"));
  const auto again = only_ask(conversation);
  EXPECT_THAT(again.request_id, StartsWith("fr-0123456789abcdef.t1.r1-"));
  const Json messages = again.request["params"]["messages"];
  ASSERT_THAT(messages, SizeIs(3));
  EXPECT_EQ(messages[1]["content"], Json());
  EXPECT_EQ(messages[1]["tool_calls"],
            Json::array({{{"id", "c1"}, {"name", "look"}, {"arguments", {{"city", "Paris"}}}}}));
  EXPECT_EQ(messages[2],
            Json({{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "18 degrees\n"}}));
  conversation.take(again.request_id, spoken("It is 18."));
  EXPECT_THAT(only_ask(conversation).request_id, HasSubstr(".t2-"));
}

TEST(Conversation, SeveralCallsRunAtOnceAndAreAnsweredInTheirOrder) {
  Conversation conversation = talk(kWithTool);
  conversation.take(only_ask(conversation).request_id,
                    called({{"look", {{"city", "Paris"}}}, {"look", {{"city", "Rome"}}}}));
  const auto asks = conversation.take_asks();
  ASSERT_THAT(asks, SizeIs(2));
  conversation.take(asks[1].request_id, printed("rome"));
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
  conversation.take(asks[0].request_id, printed("paris"));
  const Json messages = only_ask(conversation).request["params"]["messages"];
  EXPECT_EQ(messages[2]["content"], "paris");
  EXPECT_EQ(messages[3]["content"], "rome");
}

TEST(Conversation, WhatNobodyCanAnswerIsToldToTheModel) {
  Conversation conversation = talk(kWithTool);
  conversation.take(only_ask(conversation).request_id,
                    called({{"find", {{"city", "Paris"}}}, {"look", {{"town", "Paris"}}}}));
  const Json messages = only_ask(conversation).request["params"]["messages"];
  ASSERT_THAT(messages, SizeIs(4));
  EXPECT_THAT(messages[2]["content"].get<std::string>(),
              HasSubstr("there is no tool 'find'; there are: look"));
  EXPECT_THAT(messages[3]["content"].get<std::string>(), HasSubstr("the arguments are wrong"));
  EXPECT_TRUE(conversation.steps()[1].answer.is_error);
}

TEST(Conversation, AToolThatFailsIsToldToTheModelButACancelledOneEndsIt) {
  Conversation conversation = talk(kWithTool);
  conversation.take(only_ask(conversation).request_id, called({{"look", {{"city", "Paris"}}}}));
  Conversation cancelled = conversation;
  const auto tool = only_ask(conversation);
  conversation.take(tool.request_id, failed_with(ErrorCode::kDeadlineExceeded, "took too long"));
  EXPECT_THAT(only_ask(conversation).request["params"]["messages"][2]["content"].get<std::string>(),
              HasSubstr("took too long"));
  cancelled.take(only_ask(cancelled).request_id, failed_with(ErrorCode::kCancelled, "cancelled"));
  EXPECT_EQ(cancelled.state(), Conversation::State::kGaveUp);
}

TEST(Conversation, ToolsAreCalledInAsManyRoundsAsTheScriptAllows) {
  Json script = kWithTool;
  script["max_tool_rounds"] = 2;
  Conversation conversation = talk(script);
  for (int round = 0; round < 2; ++round) {
    conversation.take(only_ask(conversation).request_id, called({{"none", Json::object()}}));
  }
  EXPECT_EQ(conversation.state(), Conversation::State::kGoesOn);
  conversation.take(only_ask(conversation).request_id, called({{"none", Json::object()}}));
  EXPECT_EQ(conversation.state(), Conversation::State::kGaveUp);
  EXPECT_THAT(conversation.reason(), HasSubstr("after 2 rounds"));
}

TEST(Conversation, AModelThatAsksForHundredsOfCallsIsStopped) {
  Conversation conversation = talk(kWithTool);
  conversation.take(only_ask(conversation).request_id,
                    called(std::vector(33, std::pair(std::string("look"), Json::object()))));
  EXPECT_EQ(conversation.state(), Conversation::State::kGaveUp);
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
}

TEST(Conversation, CallsWithoutIdsGetSome) {
  Conversation conversation = talk(kWithTool);
  Response response;
  response.data = {{"text", ""}, {"tool_calls", {{{"name", "look"}}, Json("odd")}}};
  conversation.take(only_ask(conversation).request_id, std::make_shared<const Response>(response));
  const Json messages = only_ask(conversation).request["params"]["messages"];
  EXPECT_EQ(messages[1]["tool_calls"][0]["id"], "call_1_1_1");
  EXPECT_EQ(messages[1]["tool_calls"][1]["name"], "unnamed");
  EXPECT_EQ(messages[3]["tool_call_id"], "call_1_1_2");
}

TEST(Conversation, ReadingGivesTheIdsThatDrivingGave) {
  Conversation driven = talk(kWithTool);
  Conversation read(script_of(script_json(driven.script())), driven.first_id(), Json());
  for (const auto& response : {called({{"look", {{"city", "Paris"}}}}), printed("18"),
                               spoken("It is 18."), spoken("Bye")}) {
    const auto ask = only_ask(driven);
    EXPECT_EQ(only_ask(read).request_id, ask.request_id);
    driven.take(ask.request_id, response);
    read.take(ask.request_id, response);
  }
  EXPECT_EQ(driven.state(), Conversation::State::kEnded);
  EXPECT_EQ(read.state(), Conversation::State::kEnded);
}

TEST(Conversation, AnImagesBytesAreInTheRequestAndOnlyTheirDigestInTheList) {
  const std::string image = "data:image/png;base64,AAAA";
  const Json parts = {{{"type", "text"}, {"text", "what is it?"}},
                      {{"type", "image_url"}, {"image_url", {{"url", image}}}}};
  Conversation driven = talk({{"turns", {"one", parts}}});
  const Json listed = script_json(driven.script());
  EXPECT_THAT(dump_json(listed), testing::Not(HasSubstr("AAAA")));
  Conversation read(script_of(listed), driven.first_id(), Json());
  driven.take(only_ask(driven).request_id, spoken("A1"));
  read.take(only_ask(read).request_id, spoken("A1"));
  const auto second = only_ask(driven);
  EXPECT_EQ(second.request["params"]["messages"][2]["content"], parts);
  EXPECT_EQ(only_ask(read).request_id, second.request_id);
}

TEST(Conversation, EndsThatAreNotItsOwnAreNothingToIt) {
  Conversation conversation = talk(kThreeTurns);
  const auto first = only_ask(conversation);
  conversation.take("other", spoken("x"));
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
  conversation.take(first.request_id, spoken("A1"));
  EXPECT_THAT(conversation.take_asks(), SizeIs(1));
  conversation.take(first.request_id, spoken("again"));
  EXPECT_THAT(conversation.take_asks(), IsEmpty());
}

}  // namespace
}  // namespace filecall::client
