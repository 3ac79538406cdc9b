// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "client/agent/core/run_branch.h"
#include "client/agent/core/run_result.h"
#include "tests/unit/client/agent/core/agent_world.h"

namespace filecall::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kTop = ".ai-agent/find-it-1";
constexpr const char* kDirectory = "/r/.ai-agent/find-it-1";

Json branch_settings(Json changes = Json::object()) {
  Json settings = settings_of({{"editing", "branch"}, {"branch", {{"thread", "t"}}}});
  settings.update(changes);
  return settings;
}

Json with_id(const char* name, char digit) { return {{name, std::string(40, digit)}}; }

/// A run whose branch is chosen and not made yet.
void look(RecordedRun& run) {
  run.answer("run-1.branch.look", answered({{"head", std::string(40, 'a')},
                                            {"branch", "main"},
                                            {"branches", Json::array({{{"name", "main"}}})}}));
}

/// One that may plan.
void set_up(RecordedRun& run) {
  look(run);
  run.answer("run-1.branch.ignore", answered(Json::object()));
  run.answer("run-1.branch.create", answered(Json::object()));
  run.answer("run-1.branch.worktree", answered({{"path", kTop}, {"directory", kDirectory}}));
}

/// A step that has created the file a.
void create(RecordedRun& run, int step, bool is_done = false) {
  const std::string id = fmt::format("run-1.{}.1", step);
  run.plan(plan_text({action("file.create", {{"path", "a"}})}, is_done));
  run.answer(id + ".preview", answered(Json::object()));
  run.decide({Json{{"n", 1}, {"approved", true}}});
  run.answer(id, answered(Json::object()));
}

Json changed(const char* path, const char* how = "untracked") {
  return {{"complete", true}, {"entries", Json::array({{{"path", path}, {"unstaged", how}}})}};
}

TEST(AgentBranch, IsMadeBeforeTheFirstPlanAndOnceOnly) {
  RecordedRun run(branch_settings());
  EXPECT_EQ(run.last_asked(), "run-1.branch.look");
  run.restart();
  look(run);
  EXPECT_EQ(run.last_asked(), "run-1.branch.ignore");
  run.answer("run-1.branch.ignore", failed(ErrorCode::kAlreadyExists, "is there"));
  EXPECT_EQ(run.params_of("run-1.branch.create"), Json({{"action", "create"},
                                                        {"name", "ai-agent/find-it-1"},
                                                        {"start", std::string(40, 'a')}}));
  run.restart();
  EXPECT_EQ(run.last_asked(), "run-1.branch.create");
  run.answer("run-1.branch.create", answered(Json::object()));
  EXPECT_EQ(run.params_of("run-1.branch.worktree")["path"], kTop);
  run.answer("run-1.branch.worktree", answered({{"path", kTop}, {"directory", kDirectory}}));
  EXPECT_EQ(run.last_asked(), "run-1.1.plan");
  const std::size_t records = run.records.size();
  run.restart();
  EXPECT_EQ(run.records.size(), records);
}

TEST(AgentBranch, GetsAFreeName) {
  RecordedRun run(branch_settings());
  run.answer("run-1.branch.look",
             answered({{"head", std::string(40, 'a')},
                       {"branch", nullptr},
                       {"branches", Json::array({{{"name", "ai-agent/find-it-1"}}})}}));
  EXPECT_EQ(run.state().branch().name, "ai-agent/find-it-1-2");
  EXPECT_EQ(run.state().branch().ours, std::string(40, 'a')) << "no branch is checked out";
}

TEST(AgentBranch, WhatAKilledWorkerHasLeftIsTakenUpOrTakenAway) {
  RecordedRun run(branch_settings());
  look(run);
  run.answer("run-1.branch.ignore", answered(Json::object()));
  run.answer("run-1.branch.create", failed(ErrorCode::kAborted, "interrupted"));
  run.answer("run-1.branch.create-2", failed(ErrorCode::kAlreadyExists, "is there"));
  run.answer("run-1.branch.worktree", failed(ErrorCode::kAborted, "interrupted"));
  EXPECT_EQ(run.params_of("run-1.branch.remove")["path"], kTop);
  run.answer("run-1.branch.remove", failed(ErrorCode::kNotFound, "is no worktree"));
  // What may lie at the first place is not the run's any more.
  EXPECT_EQ(run.params_of("run-1.branch.worktree-2")["path"], std::string(kTop) + "-2");
}

TEST(AgentBranch, OfSomebodyElseIsNotTaken) {
  RecordedRun run(branch_settings());
  look(run);
  run.answer("run-1.branch.ignore", answered(Json::object()));
  run.answer("run-1.branch.create", failed(ErrorCode::kAlreadyExists, "is there"));
  EXPECT_EQ(run.state().end(), AgentEnd::kFailed);
  EXPECT_THAT(run.state().end_reason(), HasSubstr("--editing proposal"));
}

TEST(AgentBranch, WithoutARepositoryChangesAreProposed) {
  RecordedRun run(branch_settings());
  run.answer("run-1.branch.look", failed(ErrorCode::kNotFound, "no repository"));
  EXPECT_EQ(run.last_asked(), "run-1.1.plan");
  EXPECT_EQ(run.state().settings().editing, Editing::kProposal);
  const std::string prompt = dump_json(run.params_of("run-1.1.plan"));
  EXPECT_THAT(prompt, Not(HasSubstr("file.edit")));
  EXPECT_THAT(prompt, HasSubstr("file.propose"));
  EXPECT_EQ(run_result("run-1", run.state())["no_branch"], "no repository");
  // As without commits: there is nothing to begin a branch at.
  RecordedRun empty(branch_settings());
  empty.answer("run-1.branch.look", answered({{"head", nullptr}, {"branches", Json::array()}}));
  EXPECT_THAT(empty.state().branch().why_not, HasSubstr("no commit"));
}

TEST(AgentBranch, CallsGoToTheWorktreeAndPoliciesSeeWhatTheModelSays) {
  RecordedRun run(branch_settings());
  set_up(run);
  run.plan(
      plan_text({action("file.read", {{"files", {"a", {{"path", "./b/../c"}}}}}),
                 action("file.create", {{"path", "new"}}), action("tool.run", {{"argv", {"make"}}}),
                 action("file.read", {{"files", {"../x"}}})}));
  EXPECT_EQ(run.params_of("run-1.1.2.preview")["changes"][0]["path"], std::string(kTop) + "/new");
  const auto& calls = run.state().steps()[0].calls;
  EXPECT_EQ(calls[1].args["path"], "new");
  EXPECT_EQ(calls[3].status, "invalid_argument");
  EXPECT_THAT(calls[3].message, HasSubstr("leads out"));
  run.answer("run-1.1.2.preview", answered(Json::object()));
  run.decide({Json{{"n", 2}, {"approved", true}}, Json{{"n", 3}, {"approved", true}}});
  EXPECT_EQ(run.params_of("run-1.1.1")["files"],
            Json({std::string(kTop) + "/a", {{"path", std::string(kTop) + "/c"}}}));
}

TEST(AgentBranch, AStepThatChangedFilesIsOneCommit) {
  RecordedRun run(branch_settings());
  set_up(run);
  create(run, 1);
  EXPECT_EQ(run.last_asked(), "run-1.1.changes");
  EXPECT_EQ(run.params_of("run-1.1.changes")["repository"], kTop);
  run.answer("run-1.1.changes", answered({{"complete", true},
                                          {"entries",
                                           {{{"path", "a"}, {"unstaged", "untracked"}},
                                            {{"path", "built"}, {"unstaged", "untracked"}},
                                            {{"path", "c"}, {"unstaged", "modified"}}}}}));
  const Json commit = run.params_of("run-1.1.2");
  EXPECT_EQ(commit["repository"], kTop);
  EXPECT_EQ(commit["paths"], Json({"a", "c"})) << "what a program left is not the model's";
  EXPECT_EQ(commit["message"], "next");
  EXPECT_EQ(
      commit["trailers"],
      Json({{"Agent-Approval", "run-1.1"}, {"Agent-Step", "run-1.1"}, {"Agent-Thread", "t"}}));
  run.restart();
  EXPECT_EQ(run.latest[0].id, "run-1.1.2");
  run.answer("run-1.1.2", answered(with_id("commit", 'b')));
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  EXPECT_EQ(run.state().writes(), 1) << "the commit is none of the model's";
  EXPECT_EQ(run.state().branch().untracked, std::vector<std::string>{"built"});
  run.plan(plan_text({}, true));
  EXPECT_EQ(run.params_of("run-1.branch.merge"),
            Json({{"ours", "main"}, {"theirs", "ai-agent/find-it-1"}}));
  run.answer("run-1.branch.merge", answered({{"result", "fast_forward"}}));
  EXPECT_EQ(run.last_asked(), "run-1.report");
  EXPECT_THAT(dump_json(run.params_of("run-1.report")), HasSubstr("fast_forward"));
  const Json result = run_result("run-1", run.state());
  EXPECT_EQ(result["branch"]["commits"][0]["commit"], std::string(40, 'b'));
  EXPECT_THAT(result["branch"]["next"]["merge"].get<std::string>(),
              HasSubstr("git -C /r merge ai-agent/find-it-1"));
}

Json two_changes() {
  return {{"complete", true},
          {"entries",
           {{{"path", "c"}, {"unstaged", "modified"}},
            {{"path", "built"}, {"unstaged", "untracked"}}}}};
}

TEST(AgentBranch, WhatProgramsChangedIsCheckedCommittedAndSaid) {
  RecordedRun run(branch_settings({{"checks", Json::array({{{"argv", {"make", "test"}}}})}}));
  set_up(run);
  run.plan(plan_text({action("tool.run", {{"argv", {"sed"}}})}, true));
  run.decide({Json{{"n", 1}, {"approved", true}}});
  run.answer("run-1.1.1", answered({{"exit_code", 0}}));
  run.answer("run-1.1.changes", answered(two_changes()));
  EXPECT_THAT(run.types(), Contains("checks.planned"));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1-2");
  run.restart();
  run.decide({Json{{"n", 2}, {"approved", true}}});
  EXPECT_EQ(run.params_of("run-1.1.2")["argv"], Json({"make", "test"}));
  EXPECT_EQ(run.params_of("run-1.1.2")["check"], true);
  run.answer("run-1.1.2", answered({{"exit_code", 0}}));
  EXPECT_EQ(run.last_asked(), "run-1.1.changes-2") << "a check may change files, too";
  run.answer("run-1.1.changes-2", answered(two_changes()));
  const Json commit = run.params_of("run-1.1.3");
  EXPECT_EQ(commit["paths"], Json({"c"}));
  EXPECT_EQ(commit["trailers"]["Agent-Approval"], "run-1.1") << "and not that of the check";
  run.answer("run-1.1.3", answered(with_id("commit", 'b')));
  EXPECT_EQ(run.state().checks(), "passed");
  EXPECT_THAT(run.state().files_changed(), ElementsAre("c"));
  EXPECT_TRUE(run.state().knows_files_changed());
  // git refuses to remove a worktree with such a file.
  EXPECT_THAT(run.state().branch().next_commands().back().command,
              HasSubstr("worktree remove --force .ai-agent/find-it-1 && "));
}

TEST(AgentBranch, ChecksHoldUntilAProgramChangesFilesAgain) {
  RecordedRun run(branch_settings({{"checks", Json::array({{{"argv", {"make", "test"}}}})}}));
  set_up(run);
  run.plan(plan_text({action("tool.run", {{"argv", {"sed"}}})}));
  run.decide({Json{{"n", 1}, {"approved", true}}});
  run.answer("run-1.1.1", answered({{"exit_code", 0}}));
  run.answer("run-1.1.changes", answered(two_changes()));
  EXPECT_EQ(run.state().checks(), "not_run");
  run.decide({Json{{"n", 2}, {"approved", true}}});
  run.answer("run-1.1.2", answered({{"exit_code", 0}}));
  run.answer("run-1.1.changes-2", answered(two_changes()));
  EXPECT_EQ(run.state().checks(), "passed");
  run.answer("run-1.1.3", answered(with_id("commit", 'b')));
  run.plan(plan_text({action("tool.run", {{"argv", {"sed"}}})}));
  run.decide({Json{{"n", 1}, {"approved", true}}});
  run.answer("run-1.2.1", answered({{"exit_code", 0}}));
  run.answer("run-1.2.changes", answered(two_changes()));
  EXPECT_EQ(run.state().checks(), "not_run");
}

TEST(AgentBranch, AProgramThatChangedNothingStartsNoCheck) {
  RecordedRun run(branch_settings({{"checks", Json::array({{{"argv", {"make", "test"}}}})}}));
  set_up(run);
  run.plan(plan_text({action("tool.run", {{"argv", {"ls"}}})}));
  run.decide({Json{{"n", 1}, {"approved", true}}});
  run.answer("run-1.1.1", answered({{"exit_code", 0}}));
  run.answer("run-1.1.changes", answered({{"complete", true}, {"entries", Json::array()}}));
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  EXPECT_THAT(run.state().branch().next_commands().back().command, Not(HasSubstr("--force")));
}

TEST(AgentBranch, ACancelledRunSaysThatNobodyLooked) {
  RecordedRun run(branch_settings());
  set_up(run);
  run.plan(plan_text({action("tool.run", {{"argv", {"make"}}})}));
  run.decide({Json{{"n", 1}, {"approved", true}}});
  run.tell(AgentEvent::Kind::kCancel);
  run.answer("run-1.1.1", failed(ErrorCode::kCancelled, "cancelled"));
  const Json result = run_result("run-1", run.state());
  EXPECT_EQ(result["files_changed_known"], false);
  EXPECT_EQ(result["branch"]["unseen"], true);
}

TEST(AgentBranch, AStepThatChangedNothingIsNoCommit) {
  RecordedRun run(branch_settings());
  set_up(run);
  create(run, 1);
  run.answer("run-1.1.changes", answered({{"complete", true}, {"entries", Json::array()}}));
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  run.plan(plan_text({action("file.read")}, true));
  run.answer("run-1.2.1", answered(1));
  EXPECT_EQ(run.last_asked(), "run-1.report") << "there is nothing to merge";
}

TEST(AgentBranch, AnInterruptedCommitIsLookedForAndNotMadeTwice) {
  RecordedRun run(branch_settings());
  set_up(run);
  create(run, 1, true);
  run.answer("run-1.1.changes", answered(changed("a")));
  run.answer("run-1.1.2", failed(ErrorCode::kAborted, "interrupted; effects unknown"));
  EXPECT_EQ(run.last_asked(), "run-1.1.head-2");
  Json found = with_id("id", 'c');
  found["message"] = "next\n\nAgent-Step: run-1.1\n";
  run.restart();
  run.answer("run-1.1.head-2", answered({{"commits", Json::array({found})}}));
  EXPECT_EQ(run.last_asked(), "run-1.branch.merge");
  EXPECT_EQ(run.state().branch().commits[0]["commit"], std::string(40, 'c'));
  EXPECT_THAT(run.state().branch().uncommitted, SizeIs(0));
}

TEST(AgentBranch, AnInterruptedCommitThatIsNotThereIsMade) {
  RecordedRun run(branch_settings());
  set_up(run);
  create(run, 1, true);
  run.answer("run-1.1.changes", answered(changed("a")));
  run.answer("run-1.1.2", failed(ErrorCode::kAborted, "interrupted; effects unknown"));
  Json other = with_id("id", 'c');
  other["message"] = "next\n\nAgent-Step: run-1.11\n";
  run.answer("run-1.1.head-2", answered({{"commits", Json::array({other})}}));
  run.answer("run-1.1.changes-2", answered(changed("a", "modified")));
  EXPECT_EQ(run.last_asked(), "run-1.1.3");
  run.answer("run-1.1.3", answered(with_id("commit", 'd')));
  EXPECT_THAT(run.state().branch().commits, SizeIs(1));
  EXPECT_EQ(run.last_asked(), "run-1.branch.merge");
}

TEST(AgentBranch, ARuleMayAskAPersonBeforeACommit) {
  RecordedRun run(branch_settings());
  run.judge.commits_asked = "git.commit";
  set_up(run);
  create(run, 1, true);
  run.answer("run-1.1.changes", answered(changed("a")));
  EXPECT_EQ(run.machine->awaited_approval(), "run-1.1-2");
  run.decide({Json{{"n", 2}, {"approved", false}, {"reason", "not yet"}}});
  // A commit that was denied is nothing that the model could mend.
  EXPECT_EQ(run.last_asked(), "run-1.report");
  EXPECT_THAT(run.state().branch().uncommitted, ElementsAre("a"));
  EXPECT_EQ(run_result("run-1", run.state())["branch"]["problem"], "not yet");
}

TEST(AgentBranch, ABudgetEndsARunAfterWhatItChangedIsCommitted) {
  RecordedRun run(branch_settings({{"budgets", {{"writes", 1}}}}));
  set_up(run);
  run.plan(
      plan_text({action("file.create", {{"path", "a"}}), action("file.create", {{"path", "b"}})}));
  run.answer("run-1.1.1.preview", answered(Json::object()));
  run.answer("run-1.1.2.preview", answered(Json::object()));
  run.decide({Json{{"n", 1}, {"approved", true}}, Json{{"n", 2}, {"approved", true}}});
  run.answer("run-1.1.1", answered(Json::object()));
  EXPECT_EQ(run.state().ending(), AgentEnd::kBudget);
  run.restart();
  run.answer("run-1.1.changes", answered(changed("a")));
  run.answer("run-1.1.3", answered(with_id("commit", 'e')));
  run.answer("run-1.branch.merge", failed(ErrorCode::kUnavailable, "no"));
  EXPECT_EQ(run.state().end(), AgentEnd::kBudget);
  EXPECT_EQ(run.state().steps()[0].calls[1].status, "not_run");
  EXPECT_EQ(run_result("run-1", run.state())["branch"]["merge_error"], "no");
  // With a larger one it goes on there, and what a merge would be is asked again.
  run.restart({{"budgets", {{"writes", 3}}}});
  EXPECT_EQ(run.last_asked(), "run-1.2.plan");
  run.plan(plan_text({}, true));
  EXPECT_EQ(run.last_asked(), "run-1.branch.merge-2");
}

TEST(AgentBranch, ACancelledRunCommitsNothingMore) {
  RecordedRun run(branch_settings());
  set_up(run);
  run.plan(plan_text({action("file.read")}));
  run.tell(AgentEvent::Kind::kCancel);
  run.answer("run-1.1.1", failed(ErrorCode::kCancelled, "cancelled"));
  EXPECT_EQ(run.state().end(), AgentEnd::kCancelled);
  EXPECT_THAT(run.types(), Not(Contains("run.ending")));
}

}  // namespace
}  // namespace filecall::client
