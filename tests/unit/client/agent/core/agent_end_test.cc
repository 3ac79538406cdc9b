// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "client/agent/core/agent_machine.h"
#include "client/agent/core/run_result.h"
#include "tests/unit/client/agent/core/agent_world.h"

namespace filecall::client {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::SizeIs;

Json program(const char* name) { return {{"argv", Json::array({name})}}; }
Json agreed(int n) { return {{"n", n}, {"approved", true}}; }

TEST(AgentEnd, ABlankReportIsTheSummaryOrSaysThatThereIsNone) {
  RecordedRun run;
  run.plan(plan_text({}, true));
  run.plan(" \n");
  EXPECT_EQ(run.state().report(), "all done");
  RecordedRun silent;
  silent.plan(R"({"commentary": "next", "done": true})");
  silent.plan("");
  EXPECT_EQ(silent.state().report(), "The model gave no report.");
  RecordedRun plain(settings_of({{"report", false}}));
  plain.plan(R"({"commentary": "next", "done": true})");
  EXPECT_EQ(plain.state().report(), "The model gave no report.");
}

TEST(AgentEnd, ARunThatIsCancelledSaysWhatBecameOfEachCall) {
  RecordedRun run;
  run.plan(plan_text(
      {action("file.read"), action("tool.run", program("a")), action("tool.run", program("b"))}));
  run.decide({agreed(2), agreed(3)});
  run.answer("run-1.1.1", answered(1));
  run.tell(AgentEvent::Kind::kCancel, "enough");
  EXPECT_FALSE(run.state().is_over()) << "what has begun is waited for";
  run.answer("run-1.1.2", failed(ErrorCode::kCancelled, "cancelled"));
  EXPECT_EQ(run.state().end(), AgentEnd::kCancelled);
  const auto& calls = run.state().steps()[0].calls;
  EXPECT_EQ(calls[0].status, "success");
  EXPECT_EQ(calls[1].status, "cancelled");
  EXPECT_EQ(calls[2].status, "not_run");
  EXPECT_EQ(calls[2].message, "the run was cancelled");
}

TEST(AgentEnd, AResultSaysWhatTheModelCalled) {
  RecordedRun run;
  run.plan(plan_text({action("file.read", {{"path", std::string(5000, 'x')}}), action("nothing")}));
  run.answer("run-1.1.1", answered(1));
  run.plan(plan_text({}, true));
  run.plan("Fine.");
  const Json calls = run.params_of("run-1.result")["tool_calls"];
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0]["name"], "file.read");
  EXPECT_EQ(calls[0]["status"], "success");
  EXPECT_LT(dump_json(calls[0]).size(), 1500U);
  EXPECT_EQ(calls[1]["status"], "not_found");
}

TEST(AgentEnd, AResultHasNoValuesOfASecret) {
  RecordedRun run;
  run.plan(plan_text(
      {action(
           "kube.patchResource",
           {{"kind", "Secret"}, {"name", "keys"}, {"patch", {{"stringData", {{"p", "horse"}}}}}}),
       action("kube.createResource", {{"manifestYaml", "kind: Secret\np: horse"}})}));
  const Json calls = run_result("run-1", run.state())["tool_calls"];
  EXPECT_EQ(calls[0]["arguments"], Json({{"kind", "Secret"}, {"name", "keys"}}));
  EXPECT_EQ(dump_json(calls).find("horse"), std::string::npos);
}

TEST(AgentEnd, ARunThatEndedOnABudgetGoesOnWithALargerOne) {
  RecordedRun run(settings_of({{"budgets", {{"steps", 1}}}}));
  run.plan(plan_text({action("file.read")}));
  run.answer("run-1.1.1", answered(1));
  EXPECT_EQ(run.state().end(), AgentEnd::kBudget);
  run.answer("run-1.result", answered(Json::object()));
  // What leaves it nothing changes nothing.
  run.restart({{"budgets", {{"steps", 1}, {"calls", 5}}}});
  EXPECT_EQ(run.state().end(), AgentEnd::kBudget);
  EXPECT_THAT(run.types(), Not(Contains("run.budgets")));
  run.restart({{"budgets", {{"steps", 3}}}});
  EXPECT_EQ(run.state().end(), AgentEnd::kNone);
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  run.restart();
  EXPECT_EQ(run.state().settings().budgets.steps, 3);
  run.plan(plan_text({}, true));
  run.plan("Fine.");
  EXPECT_EQ(run.state().end(), AgentEnd::kDone);
  EXPECT_EQ(run.last_asked(), "run-1.result-2") << "the first one has its answer";
  run.answer("run-1.result-2", answered(Json::object()));
  EXPECT_TRUE(run.machine->is_complete());
  // A run that is done stays so.
  run.restart({{"budgets", {{"steps", 9}}}});
  EXPECT_EQ(run.state().end(), AgentEnd::kDone);
}

TEST(AgentEnd, CallsThatABudgetStoppedAreMadeWithALargerOne) {
  RecordedRun run(settings_of({{"budgets", {{"calls", 1}}}}));
  run.plan(plan_text({action("file.read"), action("file.search")}));
  EXPECT_EQ(run.state().end(), AgentEnd::kBudget);
  run.restart({{"budgets", {{"calls", 2}}}});
  EXPECT_EQ(run.last_asked(), "run-1.1.2");
  // The first one was begun: it is waited for again, and not made again.
  run.answer("run-1.1.1", answered(1));
  run.answer("run-1.1.2", answered(1));
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
}

TEST(AgentEnd, ProgramsLeaveItOpenWhichFilesChanged) {
  RecordedRun run;
  run.plan(plan_text({action("tool.run", program("make"))}));
  EXPECT_TRUE(run.state().knows_files_changed()) << "it has not begun";
  run.decide({agreed(1)});
  run.answer("run-1.1.1", answered(1));
  EXPECT_FALSE(run.state().knows_files_changed());
  EXPECT_EQ(run_result("run-1", run.state())["files_changed_known"], false);
}

}  // namespace
}  // namespace filecall::client
