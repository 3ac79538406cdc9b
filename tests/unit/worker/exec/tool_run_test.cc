// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "os/clock.h"

namespace filecall::worker {
namespace {

using testing::HasSubstr;

class ToolRunTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(uv_loop_init(&loop_), 0);
    char name[] = "/tmp/filecall-tool-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    config_.guard = FILECALL_TEST_GUARD;
    config_.allow = {"sh", "cat", "pwd", "env", "printf", "no-such-program"};
    config_.roots = {folder_};
    ::setenv("FILECALL_TEST_SECRET", "s", 1);
  }
  void TearDown() override {
    execution_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
    std::filesystem::remove_all(folder_);
  }

  void start(Json params) {
    auto created = ToolRun::create(&loop_, config_, "{}");
    ASSERT_TRUE(created.has_value()) << created.error().message;
    executor_ = std::move(*created);
    Request request;
    request.request_id = "r";
    request.params = std::move(params);
    outcome_.reset();
    execution_ =
        executor_->start(request, {"/root"}, [this](Outcome o) { outcome_ = std::move(o); });
  }
  Outcome run(Json params) {
    start(std::move(params));
    if (!outcome_) uv_run(&loop_, UV_RUN_DEFAULT);
    return outcome_.value_or(Failure{ErrorCode::kInternal, "no outcome", {}, {}, {}});
  }
  Json data(Json params) {
    Outcome outcome = run(std::move(params));
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? *outcome : Json::object();
  }
  Failure failure(Json params) {
    Outcome outcome = run(std::move(params));
    EXPECT_FALSE(outcome) << *outcome;
    return outcome ? Failure{} : outcome.error();
  }
  static Json shell(const char* script) { return {{"argv", {"sh", "-c", script}}}; }

  uv_loop_t loop_{};
  std::string folder_;
  ToolConfig config_;
  std::unique_ptr<ToolRun> executor_;
  std::unique_ptr<Execution> execution_;
  std::optional<Outcome> outcome_;
};

TEST_F(ToolRunTest, RunsAProgram) {
  const Json result = data(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.at("exit_code"), 3);
  EXPECT_EQ(result.at("stdout"), "out\n");
  EXPECT_EQ(result.at("stderr"), "err\n");
  EXPECT_GT(result.at("max_rss_bytes"), 0);
}

TEST_F(ToolRunTest, GivesInput) {
  EXPECT_EQ(data({{"argv", {"cat"}}, {"stdin", "ä\n"}}).at("stdout"), "ä\n");
  EXPECT_EQ(data({{"argv", {"cat"}}, {"stdin_base64", "/w=="}}).at("stdout"), "/w==");
}

TEST_F(ToolRunTest, ClearsTheEnvironment) {
  const auto text = data({{"argv", {"env"}}}).at("stdout").get<std::string>();
  EXPECT_THAT(text, testing::Not(HasSubstr("FILECALL_TEST_SECRET")));
  EXPECT_THAT(text, HasSubstr("PATH="));
  config_.env = {"FILECALL_TEST_SECRET", "FILECALL_REQUEST_ID"};
  const auto more = data({{"argv", {"env"}}}).at("stdout").get<std::string>();
  EXPECT_THAT(more, HasSubstr("FILECALL_TEST_SECRET=s\n"));
  EXPECT_THAT(more, HasSubstr("FILECALL_REQUEST_ID=r\n"));
}

TEST_F(ToolRunTest, StartsBeneathItsRoot) {
  std::filesystem::create_directory(folder_ + "/sub");
  std::filesystem::create_directory_symlink("/", folder_ + "/top");
  EXPECT_EQ(data({{"argv", {"pwd"}}}).at("stdout"), folder_ + "\n");
  EXPECT_EQ(data({{"argv", {"pwd"}}, {"cwd", "sub"}}).at("stdout"), folder_ + "/sub\n");
  EXPECT_EQ(failure({{"argv", {"pwd"}}, {"cwd", "top"}}).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(failure({{"argv", {"pwd"}}, {"cwd", "absent"}}).code, ErrorCode::kNotFound);
}

TEST_F(ToolRunTest, CountsRelativeRootsFromWhereTheWorkerStarted) {
  const std::string here = std::filesystem::current_path();
  config_.roots = {"."};
  EXPECT_EQ(data({{"argv", {"pwd"}}}).at("stdout"), here + "\n");
  config_.roots.clear();
  EXPECT_EQ(data({{"argv", {"pwd"}}}).at("stdout"), here + "\n");
  EXPECT_EQ(failure({{"argv", {"pwd"}}, {"cwd", "/"}}).code, ErrorCode::kPermissionDenied);
}

TEST_F(ToolRunTest, DoesNotFindWhatIsNotThere) {
  const Failure missing = failure({{"argv", {"no-such-program"}}});
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.message, HasSubstr("no-such-program"));
}

TEST_F(ToolRunTest, SaysThatTheGuardIsMissing) {
  config_.guard = folder_ + "/absent";
  const Failure missing = failure(shell("true"));
  EXPECT_EQ(missing.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(missing.message, HasSubstr("tool.guard"));
}

TEST_F(ToolRunTest, ChecksTheExitWhenAsked) {
  Json params = shell("echo why; echo broken >&2; exit 4");
  params["check"] = true;
  const Failure failed = failure(params);
  EXPECT_EQ(failed.code, ErrorCode::kUnknown);
  EXPECT_TRUE(failed.is_retryable());
  EXPECT_EQ(failed.message, "sh -c 'echo why; echo broken >&2; exit 4': exit code 4: broken");
  EXPECT_EQ(failed.details.at("stdout"), "why\n");
  EXPECT_EQ(failed.details.at("exit_code"), 4);
}

TEST_F(ToolRunTest, RunsADeclaredToolWithItsEnvironment) {
  DeclaredTool tool;
  tool.name = "greet";
  tool.argv = {"sh", "-c", "echo \"$GREETING $1\"", "sh", "{name}"};
  tool.args_schema = {{"properties", {{"name", {{"type", "string"}}}}}};
  tool.env = {{"GREETING", "hello"}};
  config_.allow.clear();
  config_.tools = {tool};
  const Json result = data({{"tool", "greet"}, {"args", {{"name", "a b; rm"}}}});
  EXPECT_EQ(result.at("stdout"), "hello a b; rm\n");
  EXPECT_EQ(result.at("tool"), "greet");
}

TEST_F(ToolRunTest, ShowsItsOutputSoFarAndEndsWhenCancelled) {
  start(shell("echo begun; sleep 300"));
  ASSERT_NE(execution_, nullptr);
  const Deadline deadline = Deadline::after(monotonic_now(), seconds(20));
  while (execution_->partial().at("stdout") != "begun\n") {
    ASSERT_FALSE(deadline.is_reached(monotonic_now()));
    uv_run(&loop_, UV_RUN_ONCE);
  }
  EXPECT_FALSE(outcome_.has_value());
  execution_->cancel();
  uv_run(&loop_, UV_RUN_DEFAULT);
  ASSERT_TRUE(outcome_.has_value());
  const auto& cancelled = outcome_->error();
  EXPECT_EQ(cancelled.code, ErrorCode::kCancelled);
  EXPECT_EQ(cancelled.details.at("stdout"), "begun\n");
}

TEST_F(ToolRunTest, TruncatesLongOutput) {
  config_.output_bytes = 100;
  const Json result = data(shell("i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done"));
  EXPECT_TRUE(result.at("truncated"));
  const auto text = result.at("stdout").get<std::string>();
  EXPECT_TRUE(text.starts_with("line 0\n") && text.ends_with("line 499\n")) << text;
}

}  // namespace
}  // namespace filecall::worker
