// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "client/eval/spec.h"
#include "client/eval/text_graders.h"
#include "client/eval/tool_called_grader.h"
#include "tests/unit/client/eval/subjects.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json message(const char* role, const char* content) {
  return {{"role", role}, {"content", content}};
}

Subject talk_of_three() {
  Subject subject = subject_saying("third");
  subject.request.params = {
      {"messages",
       {message("user", "q1"), message("assistant", "first"), message("user", "q2"),
        message("assistant", ""), message("tool", "18"), message("assistant", "second"),
        message("user", "q3")}}};
  const Json call = {{"name", "look"}, {"arguments", {{"city", "Paris"}}}, {"result", "18"}};
  subject.turns = {{{"turn", 1}, {"user", "q1"}, {"answer", "first"}},
                   {{"turn", 2}, {"user", "q2"}, {"answer", "second"}, {"tool_calls", {call}}},
                   {{"turn", 3}, {"user", "q3"}, {"answer", "third"}}};
  return subject;
}

TEST(TurnSubject, ATurnsAnswerIsShownWithWhatWasSaidBeforeIt) {
  const auto second = subject_of_turn(talk_of_three(), 2);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->data["text"], "second");
  const Json messages = second->request.params["messages"];
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(messages.back(), message("tool", "18"));
  const auto first = subject_of_turn(talk_of_three(), 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->data["text"], "first");
  EXPECT_EQ(first->request.params["messages"], Json::array({message("user", "q1")}));
}

TEST(TurnSubject, LastIsTheAnswerItselfAndAllAreTheTextsOfEach) {
  EXPECT_EQ(subject_of_turn(talk_of_three(), kLastTurn)->data, talk_of_three().data);
  EXPECT_EQ(subject_of_turn(talk_of_three(), 3)->data, talk_of_three().data);
  EXPECT_EQ(subject_of_turn(talk_of_three(), kAllTurns)->data["text"], "first\n\nsecond\n\nthird");
}

TEST(TurnSubject, AnAnswerThatIsNoConversationHasOneTurn) {
  const Subject subject = subject_saying("x");
  for (const int turn : {kLastTurn, kAllTurns, 1}) {
    EXPECT_EQ(subject_of_turn(subject, turn)->data, subject.data);
  }
  EXPECT_FALSE(subject_of_turn(subject, 2));
}

TEST(TurnGraders, AGraderLooksAtItsTurnAndSaysWhenThereIsNone) {
  const auto grade = [](int turn) {
    const auto grader =
        make_exact_grader({.name = "n", .kind = "exact", .turn = turn}, {}, literal("second"));
    return grader->grade(talk_of_three(), {});
  };
  EXPECT_EQ(grade(2).score, 1);
  EXPECT_EQ(grade(kLastTurn).score, 0);
  EXPECT_EQ(grade(4).score, std::nullopt);
  EXPECT_THAT(grade(4).reason, HasSubstr("has no turn 4, it has 3"));
}

TEST(ToolCalledGrader, CountsCallsByNameArgumentsAndTurn) {
  const struct {
    ToolCalledRule rule;
    int turn;
    double wanted;
  } kCases[] = {
      {{.tool = "look"}, kAllTurns, 1},
      {{.tool = "find"}, kAllTurns, 0},
      {{.tool = "look"}, kLastTurn, 0},
      {{.tool = "look"}, 2, 1},
      {{.tool = "look"}, 1, 0},
      {{.tool = "look", .arguments = {{"city", "Paris"}}}, kAllTurns, 1},
      {{.tool = "look", .arguments = {{"city", "Rome"}}}, kAllTurns, 0},
      {{.tool = "look", .at_least = 2}, kAllTurns, 0},
      {{.tool = "look", .at_least = 0, .at_most = 0}, kAllTurns, 0},
      {{.tool = "find", .at_least = 0, .at_most = 0}, kAllTurns, 1},
      {{.tool = ""}, kAllTurns, 1},
  };
  for (const auto& c : kCases) {
    const auto grader =
        make_tool_called_grader({.name = "n", .kind = "tool_called", .turn = c.turn}, c.rule);
    const Grade grade = grader->grade(talk_of_three(), {});
    EXPECT_EQ(grade.score, c.wanted) << c.rule.tool << " " << c.turn << " " << grade.reason;
  }
}

TEST(ToolCalledGrader, OfOneAnswerItCountsWhatTheModelAskedFor) {
  Subject subject = subject_saying("");
  subject.data["tool_calls"] = {{{"id", "c1"}, {"name", "look"}, {"arguments", Json::object()}}};
  const auto grader =
      make_tool_called_grader({.name = "n", .kind = "tool_called", .turn = kAllTurns}, {"look"});
  EXPECT_EQ(grader->grade(subject, {}).score, 1);
}

TEST(TurnSections, ASpecificationNamesTurnsAndCallsAndMistakesHaveTheirPlace) {
  const auto read = [](const std::string& grader) {
    return read_eval_spec("name: n\ngraders:\n- " + grader + "\n", "spec.yaml",
                          [](const std::string&) { return fail(ErrorCode::kNotFound, "none"); });
  };
  EXPECT_TRUE(read("{kind: exact, expected: a, turn: 2}"));
  EXPECT_TRUE(read("{kind: exact, expected: a, turn: all}"));
  const auto called = read("{kind: tool_called, tool: look, arguments: {city: Paris}, max: 0}");
  ASSERT_TRUE(called) << called.error().message;
  EXPECT_EQ(called->graders[0]->grade(subject_saying("x"), {}).score, 1);
  for (const char* wrong :
       {"{kind: exact, expected: a, turn: 0}", "{kind: exact, expected: a, turn: first}"}) {
    const auto spec = read(wrong);
    ASSERT_FALSE(spec) << wrong;
    EXPECT_THAT(spec.error().message, HasSubstr("turn"));
  }
  EXPECT_FALSE(read("{kind: tool_called, tool: look, min: 3, max: 1}"));
}

}  // namespace
}  // namespace filecall::client
