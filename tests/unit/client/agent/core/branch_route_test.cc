// SPDX-License-Identifier: MIT
#include "client/agent/core/branch_route.h"

#include <gmock/gmock.h>

#include "client/agent/core/run_branch.h"
#include "tests/unit/client/agent/core/agent_world.h"

namespace filecall::client {
namespace {

RunBranch ready_branch() {
  RunBranch branch;
  branch.stage = RunBranch::Stage::kReady;
  branch.path = ".ai-agent/x";
  branch.directory = "/r/.ai-agent/x";
  return branch;
}

Json moved(const char* command, const Json& params) {
  const auto route = in_worktree({command, params}, ready_branch());
  return route ? route->params : Json(route.error().message);
}

TEST(BranchRoute, PathsCountFromTheWorktreeHoweverOften) {
  EXPECT_EQ(moved("file.list", Json::object()),
            Json({{"path", ".ai-agent/x"}, {"beneath", ".ai-agent/x"}}));
  EXPECT_EQ(moved("file.search", {{"path", "."}, {"text", "t"}})["path"], ".ai-agent/x");
  for (const char* path :
       {"a/b", "./a//b", "a/c/../b", ".ai-agent/x/a/b", "/r/a/b", "/r/.ai-agent/x/a/b"}) {
    EXPECT_EQ(moved("file.edit", {{"path", path}})["path"], ".ai-agent/x/a/b") << path;
  }
  // What only begins alike is another file.
  EXPECT_EQ(moved("file.edit", {{"path", ".ai-agent/xy"}})["path"], ".ai-agent/x/.ai-agent/xy");
  EXPECT_EQ(
      moved("file.apply", {{"changes", {{{"path", "a"}}}}, {"hunks", {"h", {{"path", "a"}}}}}),
      Json({{"changes", {{{"path", ".ai-agent/x/a"}}}},
            {"hunks", {"h", {{"path", ".ai-agent/x/a"}}}},
            {"beneath", ".ai-agent/x"}}));
  EXPECT_EQ(moved("tool.run", {{"argv", {"a"}}})["cwd"], "/r/.ai-agent/x");
  EXPECT_EQ(moved("tool.run", {{"argv", {"a"}}, {"cwd", "sub"}})["cwd"], "/r/.ai-agent/x/sub");
  EXPECT_EQ(moved("git.log", {{"path", "a"}}),
            Json({{"path", "a"}, {"repository", ".ai-agent/x"}, {"beneath", ".ai-agent/x"}}));
  EXPECT_EQ(moved("kube.getResource", {{"path", "a"}}), Json({{"path", "a"}}));
}

TEST(BranchRoute, NothingLeadsOutAndTheBranchStays) {
  for (const char* path : {"..", "../a", "a/../../b", "/etc/passwd", "/rr/a", "/"}) {
    EXPECT_TRUE(moved("file.create", {{"path", path}}).is_string()) << path;
    EXPECT_TRUE(moved("tool.run", {{"cwd", path}}).is_string()) << path;
    EXPECT_TRUE(moved("git.status", {{"repository", path}}).is_string()) << path;
  }
  EXPECT_TRUE(moved("git.worktree", {{"action", "remove"}}).is_string());
  EXPECT_TRUE(moved("git.branch", {{"action", "switch"}, {"name", "main"}}).is_string());
  EXPECT_FALSE(moved("git.worktree", {{"action", "list"}}).is_string());
}

TEST(BranchRoute, AModelCannotWidenWhatFilesMayLieIn) {
  EXPECT_EQ(moved("file.read", {{"files", {"a"}}, {"beneath", "/"}})["beneath"], ".ai-agent/x");
}

TEST(BranchRoute, AnswersSpeakOfFilesAsTheModelDoes) {
  const Json answer = {{"repository", ".ai-agent/x"},
                       {"matches", {{{"path", ".ai-agent/x/a"}}}},
                       {"stderr", "/r/.ai-agent/x/a:3: error"}};
  EXPECT_EQ(out_of_worktree(answer, ready_branch()),
            Json({{"repository", "."}, {"matches", {{{"path", "a"}}}}, {"stderr", "a:3: error"}}));
}

TEST(BranchSlug, HasWordsOfTheGoalAndTheRun) {
  EXPECT_EQ(branch_slug("Fix the failing test!", "run-abc"), "fix-the-failing-test-abc");
  EXPECT_EQ(branch_slug("\u00c4\u00d6 ~^:", "r1"), "run-r1");
  EXPECT_EQ(branch_slug("one two three four five six seven eight nine", "r1"),
            "one-two-three-four-five-six-seven-eight-r1");
}

}  // namespace
}  // namespace filecall::client
