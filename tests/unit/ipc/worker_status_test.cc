// SPDX-License-Identifier: MIT
#include "ipc/worker_status.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace filecall {
namespace {

WorkerStatus full_status() {
  WorkerStatus status;
  status.state = WorkerState::kDraining;
  status.pid = 4711;
  status.instance = "host-4711-\"9f\"";
  status.boot_id = "6f96";
  status.version = "0.1.0";
  status.started_at = *parse_rfc3339("2026-11-20T22:31:27.104Z");
  status.heartbeat_at = *parse_rfc3339("2026-11-20T22:31:29Z");
  status.watch = WatchMode::kPoll;
  status.watch_reason = "no events";
  status.durability = "file";
  status.problem = "disk full";
  status.missing_protections = {"landlock", "seccomp"};
  status.tool_sandbox = {"read-only", true, false, {"/work", "/a \"b\""}};
  status.file_directory = "/files";
  status.counts = {1, 2, 3, 4, 5, 6, 7};
  status.commands = {{"system.echo", Effects::kNone}, {"tool.run", Effects::kExternal}};
  status.destinations = {{"llm.a", 1, 2, 3, 4, 5, "why", 1}, {"tool", 0, 0, 4, 4, 0, ""}};
  status.paused = {"root", "tool.run"};
  status.paused_count = 100'000;
  status.user = 4'000'000'000;
  status.user_map = "0 100000 65536";
  return status;
}

TEST(WorkerStatus, SurvivesARoundTrip) {
  const std::string text = render_worker_status(full_status());
  const auto again = parse_worker_status(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->state, WorkerState::kDraining);
  EXPECT_EQ(again->pid, 4711);
  EXPECT_EQ(again->watch, WatchMode::kPoll);
  EXPECT_EQ(again->counts.rescans, 7);
  EXPECT_EQ(again->paused, (std::vector<std::string>{"root", "tool.run"}));
  EXPECT_EQ(again->paused_count, 100'000);
  EXPECT_EQ(again->file_directory, "/files");
  ASSERT_TRUE(again->tool_sandbox);
  EXPECT_TRUE(again->tool_sandbox->hides_root);
  EXPECT_FALSE(again->tool_sandbox->has_network);
  EXPECT_EQ(again->tool_sandbox->roots, (std::vector<std::string>{"/work", "/a \"b\""}));
  EXPECT_EQ(again->user, 4'000'000'000);
  EXPECT_EQ(again->user_map, "0 100000 65536");
  ASSERT_EQ(again->commands.size(), 2U);
  EXPECT_EQ(again->commands[1].effects, Effects::kExternal);
  ASSERT_EQ(again->destinations.size(), 2U);
  EXPECT_EQ(again->destinations[0].name, "llm.a");
  EXPECT_EQ(again->destinations[0].pause_ms, 5);
  EXPECT_EQ(again->destinations[0].problem, "why");
  EXPECT_EQ(again->destinations[1].window, 4);
  EXPECT_EQ(render_worker_status(*again), text);
}

TEST(WorkerStatus, StateNamesAreThoseOnDisk) {
  for (const char* name : {"starting", "ready", "draining", "stopped"}) {
    const auto state = parse_worker_state(name);
    ASSERT_TRUE(state);
    EXPECT_EQ(to_string(*state), name);
  }
  EXPECT_FALSE(parse_worker_state("running"));
  EXPECT_FALSE(parse_worker_state(""));
}

TEST(WorkerStatus, NeedsOnlyTheState) {
  const auto status = parse_worker_status(R"({"state":"ready","colour":"blue"})");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->pid, 0);
  EXPECT_TRUE(status->commands.empty());
}

TEST(WorkerStatus, OddMembersAreLeftAtTheirDefaults) {
  const auto status = parse_worker_status(
      R"({"state":"ready","pid":"x","counts":[],"commands":[1,{"name":"a"}],"started_at":"now",
          "missing_protections":"none","instance":5})");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->pid, 0);
  ASSERT_EQ(status->commands.size(), 1U);
  EXPECT_EQ(status->commands[0].effects, Effects::kExternal) << "the careful assumption";
}

TEST(WorkerStatus, ASandboxThatIsSaidInPartIsNotSaid) {
  for (const char* sandbox : {"1", "{}", R"({"level":"read-only","hides_root":true})",
                              R"({"level":"read-only","hides_root":"yes","network":false})",
                              R"({"hides_root":true,"network":false})"}) {
    const auto status =
        parse_worker_status(std::string(R"({"state":"ready","tool_sandbox":)") + sandbox + "}");
    ASSERT_TRUE(status);
    EXPECT_FALSE(status->tool_sandbox) << sandbox;
  }
}

TEST(WorkerStatus, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "[]", "{}", R"({"state":"running"})", R"({"state":1})",
                           R"({"state":"ready","pid":-1})"}) {
    const auto status = parse_worker_status(text);
    ASSERT_FALSE(status) << text;
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace filecall
