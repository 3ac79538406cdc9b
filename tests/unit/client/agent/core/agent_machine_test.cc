// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_machine.h"

#include <gmock/gmock.h>

#include "client/agent/core/prompt.h"
#include "tests/unit/client/agent/core/agent_world.h"

namespace filecall::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Json list(Json one) { return Json::array({std::move(one)}); }
Json yes(int n, const Json& more = Json::object()) {
  Json one = {{"n", n}, {"approved", true}};
  one.update(more);
  return one;
}

TEST(AgentMachine, PlansReadsAndReports) {
  RecordedRun run;
  EXPECT_EQ(run.last_asked(), "run-1.1.plan");
  run.plan(plan_text({action("file.read"), action("file.search")}));
  EXPECT_TRUE(run.has_asked("run-1.1.1"));
  EXPECT_TRUE(run.has_asked("run-1.1.2")) << "reads go together";
  run.answer("run-1.1.2", answered({{"matches", 1}}));
  EXPECT_FALSE(run.has_asked("run-1.2.plan"));
  run.answer("run-1.1.1", answered({{"text", "x"}}));
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  run.plan(plan_text({}, true));
  EXPECT_EQ(run.last_asked(), "run-1.report");
  run.plan("It is invented.");
  EXPECT_EQ(run.state().end(), AgentEnd::kDone);
  EXPECT_THAT(run.state().unsupported(), ElementsAre("invented"));
  EXPECT_EQ(run.last_asked(), "run-1.result");
  EXPECT_EQ(run.params_of("run-1.result")["status"], "done");
  EXPECT_FALSE(run.machine->is_complete());
  run.answer("run-1.result", answered(Json::object()));
  EXPECT_TRUE(run.machine->is_complete());
  EXPECT_EQ(run.state().tokens(), 45);
}

TEST(AgentMachine, TheSummaryIsTheReportWhereTheScenarioWantsNone) {
  RecordedRun run(settings_of({{"report", false}}));
  run.plan(plan_text({}, true));
  EXPECT_EQ(run.state().report(), "all done");
  EXPECT_EQ(run.last_asked(), "run-1.result");
}

TEST(AgentMachine, CorrectsAnAnswerTwiceAndThenEnds) {
  RecordedRun run;
  run.plan("I think");
  EXPECT_EQ(run.last_asked(), "run-1.1.plan-2");
  EXPECT_THAT(dump_json(run.params_of("run-1.1.plan-2")), HasSubstr("line 1, column 1"));
  run.plan(plan_text({}));
  EXPECT_EQ(run.last_asked(), "run-1.1.plan-3");
  run.plan("no");
  EXPECT_EQ(run.state().end(), AgentEnd::kFailed);
  EXPECT_THAT(run.state().end_reason(), HasSubstr("no answer was a plan"));
}

TEST(AgentMachine, TakesTheNextModelOfTheChain) {
  RecordedRun run;
  run.answer("run-1.1.plan", failed(ErrorCode::kUnavailable, "down"));
  EXPECT_EQ(run.last_asked(), "run-1.1.plan.m2");
  EXPECT_EQ(run.params_of("run-1.1.plan.m2")["model"], "two");
  run.answer("run-1.1.plan.m2", failed(ErrorCode::kUnavailable, "down"));
  EXPECT_EQ(run.state().end(), AgentEnd::kFailed);
}

TEST(AgentMachine, NothingWithEffectsRunsBeforeADecision) {
  RecordedRun run;
  run.plan(plan_text({action("file.read"), action("tool.run", {{"argv", list("make")}})}));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1");
  EXPECT_FALSE(run.has_asked("run-1.1.1"));
  run.decide({yes(2)});
  EXPECT_TRUE(run.has_asked("run-1.1.1"));
  EXPECT_FALSE(run.has_asked("run-1.1.2")) << "in their order";
  run.answer("run-1.1.1", answered(1));
  EXPECT_TRUE(run.has_asked("run-1.1.2"));
}

TEST(AgentMachine, ADeniedCallIsToldToTheModelAndTheRunGoesOn) {
  RecordedRun run;
  run.plan(plan_text({action("tool.run", {{"argv", list("rm")}})}));
  run.decide({Json{{"n", 1}, {"approved", false}, {"reason", "not today"}}});
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  EXPECT_THAT(dump_json(run.params_of("run-1.2.plan")), HasSubstr("denied: not today"));
}

TEST(AgentMachine, ADecisionThatLeavesACallOutDeniesIt) {
  RecordedRun run;
  run.plan(plan_text({action("tool.run", {{"argv", list("a")}}), action("file.create")}));
  run.answer("run-1.1.2.preview", answered({{"changes", Json::array()}}));
  run.decide({yes(1)});
  run.answer("run-1.1.1", answered(1));
  EXPECT_EQ(run.state().steps()[0].calls[1].status, "denied");
  EXPECT_FALSE(run.has_asked("run-1.1.2"));
}

TEST(AgentMachine, StopsAtTheFirstFailureAndSaysWhatDidNotRun) {
  RecordedRun run;
  const Json make = action("tool.run", {{"argv", list("make")}});
  run.plan(plan_text({make, make, make}, true));
  run.decide({yes(1), yes(2), yes(3)});
  run.answer("run-1.1.1", answered(1));
  run.answer("run-1.1.2", failed(ErrorCode::kAborted, "interrupted; effects unknown"));
  EXPECT_FALSE(run.has_asked("run-1.1.3"));
  EXPECT_EQ(run.state().steps()[0].calls[2].status, "not_run");
  EXPECT_EQ(run.last_asked(), "run-1.2.plan") << "done, but a call failed";
  EXPECT_THAT(dump_json(run.params_of("run-1.2.plan")), HasSubstr("effects unknown"));
}

TEST(AgentMachine, WhatIsWrittenIsWhatWasShown) {
  RecordedRun run;
  run.plan(plan_text({action("kube.patchResource", {{"kind", "Deployment"}, {"name", "web"}})}));
  EXPECT_EQ(run.last_asked(), "run-1.1.1.preview");
  EXPECT_EQ(run.asked.back().command, "kube.diffResource");
  run.answer("run-1.1.1.preview", answered({{"digest", "d1"}, {"changed", true}}));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1");
  run.decide({yes(1)});
  EXPECT_EQ(run.last_asked(), "run-1.1.1");
}

TEST(AgentMachine, ADeletionIsDecidedOnWithWhatDependsOnTheObject) {
  RecordedRun run;
  const Json settings = {{"kind", "ConfigMap"}, {"name", "c"}, {"namespace", "shop"}};
  run.plan(plan_text({action("kube.deleteResource", settings)}));
  run.answer("run-1.1.1.preview", answered({{"digest", "d1"}}));
  EXPECT_EQ(run.machine->awaited_approval(), "");
  EXPECT_EQ(run.last_asked(), "run-1.1.1.impact");
  EXPECT_EQ(run.asked.back().command, "kube.analyzeImpact");
  EXPECT_EQ(run.asked.back().params, settings);
  run.answer("run-1.1.1.impact", answered({{"severity", "high"}, {"complete", true}}));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1");
  EXPECT_EQ(run.state().steps()[0].calls[0].impact["severity"], "high");
}

TEST(AgentMachine, AnImpactThatIsNotKnownIsSaidAndEndsNothing) {
  RecordedRun run;
  run.plan(plan_text({action("kube.scale", {{"name", "web"}, {"replicas", 0}})}));
  run.answer("run-1.1.1.preview", answered(Json::object()));
  run.answer("run-1.1.1.impact", failed(ErrorCode::kUnavailable, "down"));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1");
  EXPECT_EQ(run.state().steps()[0].calls[0].impact_error, "down");
}

TEST(AgentMachine, OnlyWhatEndsAnObjectIsAskedForItsImpact) {
  RecordedRun run;
  run.plan(plan_text({action("kube.scale", {{"name", "web"}, {"replicas", 3}}),
                      action("kube.deleteResource", {{"name", "a"}, {"dryRun", true}})}));
  run.answer("run-1.1.1.preview", answered(Json::object()));
  run.answer("run-1.1.2.preview", answered(Json::object()));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1");
  EXPECT_FALSE(run.has_asked("run-1.1.1.impact") || run.has_asked("run-1.1.2.impact"));
}

TEST(AgentMachine, AProposalIsAppliedByItsChosenHunks) {
  RecordedRun run(settings_of({{"editing", "proposal"}}));
  run.plan(plan_text({action("file.propose", {{"changes", list({{"path", "a"}})}})}));
  run.answer("run-1.1.1.preview",
             answered({{"changes", list({{"path", "a"}, {"new_content", "x"}})}, {"digest", "d"}}));
  run.decide({yes(1, {{"hunks", Json::array({"h1"})}})});
  EXPECT_EQ(run.asked.back().command, "file.apply");
  EXPECT_EQ(run.asked.back().params["digest"], "d");
  EXPECT_EQ(run.asked.back().params["hunks"], Json::array({"h1"}));
  run.answer("run-1.1.1", answered({{"applied", list({{"path", "a"}})}}));
  EXPECT_THAT(run.state().files_changed(), ElementsAre("a"));
}

TEST(AgentMachine, ChangedArgumentsAreHeldAgainstThePolicyToo) {
  RecordedRun run;
  run.plan(plan_text({action("file.create", {{"path", "a"}})}));
  run.answer("run-1.1.1.preview", answered(Json::object()));
  run.decide({yes(1, {{"args", {{"path", "forbidden"}}}})});
  EXPECT_FALSE(run.has_asked("run-1.1.1"));
  EXPECT_THAT(run.state().steps()[0].calls[0].message, HasSubstr("nothing is deleted here"));
}

TEST(AgentMachine, AModelSeesWhatAPersonMadeOfItsArguments) {
  RecordedRun run;
  run.plan(plan_text({action("file.create", {{"path", "a"}})}));
  run.answer("run-1.1.1.preview", answered(Json::object()));
  run.decide({yes(1, {{"args", {{"path", "b"}}}})});
  EXPECT_EQ(run.params_of("run-1.1.1"), Json({{"path", "b"}}));
  run.answer("run-1.1.1", answered(1));
  EXPECT_THAT(dump_json(run.params_of("run-1.2.plan")), HasSubstr("A person changed"));
}

TEST(AgentMachine, ANewPolicyMakesAWaitingApprovalStale) {
  RecordedRun run;
  run.plan(plan_text({action("tool.run", {{"argv", list("make")}})}));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1");
  run.restart({{"policy_digest", "p2"}});
  EXPECT_THAT(run.types(), Contains("approval.stale"));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1-2");
}

TEST(AgentMachine, AsksAgainUnderTheSameIdAfterARestart) {
  RecordedRun run;
  run.plan(plan_text({action("file.read")}));
  run.restart();
  ASSERT_THAT(run.latest, SizeIs(1));
  EXPECT_EQ(run.latest[0].id, "run-1.1.1");
  run.restart();
  run.answer("run-1.1.1", answered(1));
  const std::size_t records = run.records.size();
  run.restart();
  EXPECT_EQ(run.records.size(), records);
  ASSERT_THAT(run.latest, SizeIs(1));
  EXPECT_EQ(run.latest[0].id, "run-1.2.plan");
  EXPECT_EQ(run.latest[0].params, run.params_of("run-1.2.plan"));
}

TEST(AgentMachine, ASteeringTextComesAfterTheResultsAndKeepsADoneRunGoing) {
  RecordedRun run;
  run.plan(plan_text({action("file.read")}, true));
  run.tell(AgentEvent::Kind::kSteer, "look at b, too");
  run.answer("run-1.1.1", answered(1));
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  EXPECT_THAT(dump_json(run.params_of("run-1.2.plan")), HasSubstr("look at b, too"));
}

TEST(AgentMachine, ACancelledRunWaitsForWhatItBegan) {
  RecordedRun run;
  run.plan(plan_text({action("file.read")}));
  run.tell(AgentEvent::Kind::kCancel);
  EXPECT_EQ(run.latest[0].kind, AgentEffect::Kind::kCancel);
  EXPECT_FALSE(run.state().is_over());
  run.answer("run-1.1.1", failed(ErrorCode::kCancelled, "cancelled"));
  EXPECT_EQ(run.state().end(), AgentEnd::kCancelled);
}

TEST(AgentMachine, AParkedRunAsksNothingUntilItGoesOn) {
  RecordedRun run;
  run.tell(AgentEvent::Kind::kPark, "interrupted");
  run.plan(plan_text({action("file.read")}));
  EXPECT_THAT(run.latest, IsEmpty());
  run.restart();
  EXPECT_TRUE(run.has_asked("run-1.1.1"));
}

TEST(AgentMachine, BudgetsEndARun) {
  RecordedRun steps(settings_of({{"budgets", {{"steps", 1}}}}));
  steps.plan(plan_text({action("file.read")}));
  steps.answer("run-1.1.1", answered(1));
  EXPECT_EQ(steps.state().end(), AgentEnd::kBudget);
  RecordedRun tokens(settings_of({{"budgets", {{"tokens", 10}}}}));
  tokens.plan(plan_text({action("file.read")}));
  tokens.answer("run-1.1.1", answered(1));
  EXPECT_THAT(tokens.state().end_reason(), HasSubstr("tokens"));
  RecordedRun calls(settings_of({{"budgets", {{"calls", 1}}}}));
  calls.plan(plan_text({action("file.read"), action("file.read")}));
  EXPECT_EQ(calls.state().end(), AgentEnd::kBudget);
}

TEST(AgentMachine, TheSameCallWithTheSameResultWarnsAndThenEnds) {
  RecordedRun run;
  for (int step = 1; step <= 5; ++step) {
    run.plan(plan_text({action("file.read")}));
    run.answer(fmt::format("run-1.{}.1", step), answered(1));
  }
  EXPECT_THAT(run.types(), Contains("guard.warned"));
  EXPECT_THAT(dump_json(run.params_of("run-1.4.plan")), HasSubstr("do something else"));
  EXPECT_EQ(run.state().end(), AgentEnd::kLoop);
}

TEST(AgentMachine, HiddenAndUnknownToolsAndWrongArgumentsBecomeResults) {
  RecordedRun run(settings_of({{"hidden", list("kube.*")}}));
  EXPECT_THAT(dump_json(run.params_of("run-1.1.plan")), Not(HasSubstr("kube.getResource")));
  run.plan(plan_text({action("kube.getResource"), action("no.such"), action("tool.run")}));
  const auto& calls = run.state().steps()[0].calls;
  EXPECT_EQ(calls[0].status, "not_found");
  EXPECT_EQ(calls[1].status, "not_found");
  EXPECT_EQ(calls[2].status, "invalid_argument");
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
}

TEST(AgentMachine, TheListOfThingsToDoHasVersions) {
  RecordedRun run;
  run.plan(plan_text(
      {action("todo.write",
              {{"version", 0}, {"items", list({{"text", "a"}, {"status", "pending"}})}}),
       action("todo.write", {{"version", 0}, {"items", Json::array()}}), action("todo.read")}));
  EXPECT_EQ(run.state().todo()["version"], 1);
  const auto& calls = run.state().steps()[0].calls;
  EXPECT_EQ(calls[0].status, "success");
  EXPECT_EQ(calls[1].status, "failed_precondition");
  EXPECT_THAT(calls[2].result, HasSubstr("pending"));
}

TEST(AgentMachine, ChecksOfTheScenarioFollowChangesOfFiles) {
  RecordedRun run(settings_of({{"checks", list({{"argv", {"make", "test"}}})}}));
  run.plan(plan_text({action("file.create", {{"path", "a"}})}));
  ASSERT_THAT(run.state().steps()[0].calls, SizeIs(2));
  EXPECT_TRUE(run.state().steps()[0].calls[1].is_check);
}

TEST(AgentMachine, LongHistoryIsReplacedByASummary) {
  RecordedRun run(settings_of({{"context_tokens", 4000}, {"budgets", Json::object()}}));
  for (int step = 1; step <= 12; ++step) {
    run.plan(plan_text({action("file.read", {{"path", std::to_string(step)}})}));
    run.answer(fmt::format("run-1.{}.1", step), answered(std::string(3000, 'x')));
  }
  EXPECT_THAT(run.types(), Contains("context.summarised"));
  const std::string prompt = dump_json(run.params_of("run-1.13.plan"));
  EXPECT_LE(prompt.size(), 4000 * kBytesPerToken);
  EXPECT_THAT(prompt, HasSubstr("in short"));
}

}  // namespace
}  // namespace filecall::client
