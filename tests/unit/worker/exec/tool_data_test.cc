// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace filecall::worker {
namespace {

using testing::HasSubstr;

CapturedOutput captured(std::string_view bytes, std::size_t cap = 100) {
  CapturedOutput output(cap);
  output.append(bytes);
  return output;
}

ChildResult exited(int code) {
  ChildResult result;
  result.exit_code = code;
  result.duration = milliseconds(12);
  result.max_rss_bytes = 4096;
  return result;
}

TEST(ToolData, TellsWhatHappened) {
  const Json data = result_data(exited(3), captured("out"), captured("err"), "");
  EXPECT_EQ(data, (Json{{"exit_code", 3},
                        {"signal", nullptr},
                        {"stdout", "out"},
                        {"stderr", "err"},
                        {"stdout_bytes", 3},
                        {"stderr_bytes", 3},
                        {"truncated", false},
                        {"duration_ms", 12},
                        {"user_ms", 0},
                        {"system_ms", 0},
                        {"max_rss_bytes", 4096}}));
  EXPECT_EQ(result_data(exited(0), captured(""), captured(""), "lint").at("tool"), "lint");
}

TEST(ToolData, EncodesWhatIsNotText) {
  const Json data = output_data(captured("\xFF\xFE"), captured("text"));
  EXPECT_EQ(data.at("stdout"), "//4=");
  EXPECT_EQ(data.at("stdout_base64"), true);
  EXPECT_EQ(data.at("stderr"), "text");
  EXPECT_FALSE(data.contains("stderr_base64"));
}

TEST(ToolData, SaysWhenAnythingWasCut) {
  EXPECT_TRUE(output_data(captured("0123456789", 4), captured("")).at("truncated"));
  const Json data = output_data(captured(""), captured("0123456789", 4));
  EXPECT_TRUE(data.at("truncated"));
  EXPECT_EQ(data.at("stderr_bytes"), 10);
}

TEST(ToolData, NamesASignal) {
  ChildResult result;
  result.signal = SIGKILL;
  const Json data = result_data(result, captured(""), captured(""), "");
  EXPECT_TRUE(data.at("exit_code").is_null());
  EXPECT_EQ(data.at("signal"), 9);
  EXPECT_EQ(data.at("signal_name"), "SIGKILL");
}

TEST(ToolVerdict, ANonZeroExitIsSuccessUnlessChecked) {
  const CapturedOutput err = captured("first\nno such file\n");
  const Json data = {{"exit_code", 4}};
  EXPECT_EQ(*judge(exited(4), err, data, false, "p"), data);
  EXPECT_EQ(*judge(exited(0), err, data, true, "p"), data);
  const auto failure = judge(exited(4), err, data, true, "p").error();
  EXPECT_EQ(failure.code, ErrorCode::kUnknown);
  EXPECT_EQ(failure.retryable, true);
  EXPECT_EQ(failure.message, "p: exit code 4: no such file");
  EXPECT_EQ(failure.details, data);
}

TEST(ToolVerdict, EndsWithWhatTheProgramSaidOnStandardOutputWhenThatIsAll) {
  const CapturedOutput err = captured(" \n");
  Json data = {{"exit_code", 1}, {"stdout", "one\n2 of 3 tests failed\n\n"}};
  EXPECT_EQ(judge(exited(1), err, data, true, "p").error().message,
            "p: exit code 1: 2 of 3 tests failed");
  data["stdout_base64"] = true;
  EXPECT_EQ(judge(exited(1), err, data, true, "p").error().message, "p: exit code 1");
}

TEST(ToolVerdict, ShowsACommandLineAsAShellWouldNeedIt) {
  EXPECT_EQ(command_text({"git", "status", "-s"}), "git status -s");
  EXPECT_EQ(command_text({"sh", "-c", "test -e /x", ""}), "sh -c 'test -e /x' ''");
  EXPECT_EQ(command_text({"a", "two\nlines"}), "a 'two lines'");
  const std::string longest = command_text({"a", std::string(500, 'x')});
  EXPECT_EQ(longest.size(), 123u);
  EXPECT_TRUE(longest.ends_with("x..."));
}

TEST(ToolVerdict, ACheckedSignalIsAnError) {
  ChildResult result;
  result.signal = SIGSEGV;
  const auto failure = judge(result, captured(""), Json::object(), true, "p").error();
  EXPECT_EQ(failure.message, "p: ended by SIGSEGV");
}

TEST(ToolVerdict, PassesOnWhyItNeverRan) {
  ChildResult result;
  result.error = Error{ErrorCode::kNotFound, "p: not found"};
  const auto failure = judge(result, captured(""), Json::object(), false, "p").error();
  EXPECT_EQ(failure.code, ErrorCode::kNotFound);
  EXPECT_EQ(failure.message, "p: not found");
}

TEST(ToolVerdict, WhatWasCancelledIsNoResult) {
  ChildResult result = exited(0);
  result.was_cancelled = true;
  const auto failure = judge(result, captured(""), Json::object(), false, "p").error();
  EXPECT_EQ(failure.code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace filecall::worker
