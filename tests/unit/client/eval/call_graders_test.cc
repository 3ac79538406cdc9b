// SPDX-License-Identifier: MIT
#include "client/eval/call_graders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "client/eval/spec.h"
#include "tests/unit/client/eval/subjects.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

GraderSettings of_kind(std::string kind, int turn = kLastTurn) {
  return {.name = "n", .kind = std::move(kind), .turn = turn};
}

Subject subject_of(std::vector<CallFigures> calls) {
  Subject subject = subject_saying("x");
  subject.calls = std::move(calls);
  return subject;
}

TEST(LatencyGrader, ComparesTheTimeInTheWorkerAndKnowsWhenThereIsNone) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const struct {
    std::vector<CallFigures> calls;
    std::optional<double> wanted;
    const char* says;
  } kCases[] = {
      {{{.run_ms = 799}}, 1, "took 799 ms; at most 800ms"},
      {{{.run_ms = 800}}, 1, "at most"},
      {{{.run_ms = 801}}, 0, "took 801 ms"},
      {{{.run_ms = 0}}, 1, "took 0 ms"},
      {{{.run_ms = -5}}, 1, "took 0 ms"},
      {{{.run_ms = kMost}, {.run_ms = kMost}}, 0, "took 2000000000000 ms"},
      {{{.cost = 1}}, std::nullopt, "does not say how long"},
      {{{.run_ms = 3}, {.cost = 1}}, std::nullopt, "does not say how long"},
      {{{.run_ms = 3, .is_cached = true}}, std::nullopt, "came from a cache"},
      {{}, std::nullopt, "does not say how long"},
  };
  const auto grader = make_latency_grader(of_kind("latency"), milliseconds(800));
  for (const auto& c : kCases) {
    const Grade grade = grader->grade(subject_of(c.calls), {});
    EXPECT_EQ(grade.score, c.wanted) << grade.reason;
    EXPECT_EQ(grade.passed.has_value(), c.wanted.has_value()) << grade.reason;
    EXPECT_THAT(grade.reason, HasSubstr(c.says));
  }
}

TEST(CostGrader, NeverTakesACostThatNobodyKnowsForNothing) {
  const struct {
    std::vector<CallFigures> calls;
    std::optional<double> wanted;
    const char* says;
  } kCases[] = {
      {{{.cost = 0.0029}}, 1, "cost US$ 0.0029; at most 0.003"},
      {{{.cost = 0.001 + 0.002}}, 1, "0.003"},
      {{{.cost = 0.0031}}, 0, "cost US$ 0.0031"},
      {{{.cost = 0.0}}, 1, "cost US$ 0"},
      {{{.cost = 0.002}, {.cost = 0.002}}, 0, "cost US$ 0.004"},
      {{{.run_ms = 4}}, std::nullopt, "nobody knows"},
      {{{.cost = 0.001}, {.run_ms = 4}}, std::nullopt, "nobody knows"},
      {{{.cost = 0.0, .is_cached = true}}, std::nullopt, "came from a cache"},
      {{}, std::nullopt, "nobody knows"},
  };
  const auto grader = make_cost_grader(of_kind("cost"), 0.003);
  for (const auto& c : kCases) {
    const Grade grade = grader->grade(subject_of(c.calls), {});
    EXPECT_EQ(grade.score, c.wanted) << grade.reason;
    EXPECT_THAT(grade.reason, HasSubstr(c.says));
  }
}

TEST(CallGraders, OfAConversationTheyLookAtTheCallsOfTheirTurn) {
  Subject talk = subject_of({{.turn = 1, .run_ms = 900, .cost = 1},
                             {.turn = 2, .run_ms = 30, .cost = 0.1},
                             {.turn = 2, .run_ms = 40, .cost = 0.1}});
  talk.turns = {{{"turn", 1}, {"answer", "a"}}, {{"turn", 2}, {"answer", "b"}}};
  const struct {
    int turn;
    const char* latency;
    const char* cost;
  } kCases[] = {{kLastTurn, "took 70 ms", "US$ 0.2"},
                {2, "took 70 ms", "US$ 0.2"},
                {1, "took 900 ms", "US$ 1;"},
                {kAllTurns, "took 970 ms", "US$ 1.2"},
                {3, "has no turn 3, it has 2", "has no turn 3, it has 2"}};
  for (const auto& c : kCases) {
    const auto latency = make_latency_grader(of_kind("latency", c.turn), milliseconds(100));
    EXPECT_THAT(latency->grade(talk, {}).reason, HasSubstr(c.latency)) << c.turn;
    const auto cost = make_cost_grader(of_kind("cost", c.turn), 0.5);
    EXPECT_THAT(cost->grade(talk, {}).reason, HasSubstr(c.cost)) << c.turn;
  }
}

TEST(CallGraders, SeveralChoicesAreOneCall) {
  Subject subject = subject_of({{.run_ms = 70, .cost = 0.2}});
  subject.data["choices"] = {{{"text", "a"}, {"finish_reason", "stop"}},
                             {{"text", "b"}, {"finish_reason", "length"}}};
  EXPECT_EQ(make_latency_grader(of_kind("latency"), milliseconds(70))->grade(subject, {}).score, 1);
  EXPECT_EQ(make_cost_grader(of_kind("cost"), 0.1)->grade(subject, {}).score, 0);
}

TEST(CallGraders, ASpecificationGivesTheirLimit) {
  const auto read = [](const std::string& grader) {
    return read_eval_spec("name: n\nanswer: /text\ngraders:\n- " + grader + "\n", "spec.yaml",
                          [](const std::string&) { return fail(ErrorCode::kNotFound, "none"); });
  };
  const Subject subject = subject_of({{.run_ms = 1500, .cost = 0.002}});
  const std::pair<const char*, double> kRight[] = {{"{kind: latency, max: 1.5s}", 1},
                                                   {"{kind: latency, max: 1499ms}", 0},
                                                   {"{kind: latency, max: 1s, negate: true}", 1},
                                                   {"{kind: cost, max: 0.002}", 1},
                                                   {"{kind: cost, max: 1e-3, turn: all}", 0}};
  for (const auto& [yaml, wanted] : kRight) {
    const auto spec = read(yaml);
    ASSERT_TRUE(spec) << yaml << ": " << spec.error().message;
    EXPECT_EQ(spec->graders[0]->grade(subject, {}).score, wanted) << yaml;
  }
  for (const char* wrong :
       {"{kind: latency}", "{kind: latency, max: 0}", "{kind: latency, max: 100}",
        "{kind: latency, max: 1s, answer: /usage}", "{kind: cost}", "{kind: cost, max: 0}",
        "{kind: cost, max: -1}", "{kind: cost, max: cheap}", "{kind: cost, max: 1, expected: 2}"}) {
    EXPECT_FALSE(read(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace filecall::client
