// SPDX-License-Identifier: MIT
#include "worker/proc/child_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace filecall::worker {
namespace {

using testing::HasSubstr;

guard::Report report_of(guard::Step step, int error) {
  guard::Report report;
  report.failure = guard::failed_at(step, error);
  return report;
}

TEST(ChildResult, SaysWhyAProgramNeverRan) {
  const struct {
    guard::Step step;
    int error;
    ErrorCode code;
  } cases[] = {
      {guard::Step::kExec, ENOENT, ErrorCode::kNotFound},
      {guard::Step::kExec, EACCES, ErrorCode::kFailedPrecondition},
      {guard::Step::kExec, ENOEXEC, ErrorCode::kFailedPrecondition},
      {guard::Step::kExec, E2BIG, ErrorCode::kInvalidArgument},
      {guard::Step::kExec, ENOMEM, ErrorCode::kResourceExhausted},
      {guard::Step::kFork, EAGAIN, ErrorCode::kResourceExhausted},
      {guard::Step::kDirectory, EACCES, ErrorCode::kFailedPrecondition},
  };
  for (const auto& c : cases) {
    const auto result = make_child_result(report_of(c.step, c.error), "prog", 0, 0);
    ASSERT_TRUE(result.error.has_value());
    EXPECT_EQ(result.error->code, c.code) << result.error->message;
    EXPECT_THAT(result.error->message, HasSubstr("prog"));
    EXPECT_FALSE(result.exit_code.has_value());
  }
}

TEST(ChildResult, TellsALostGuardFromAnEndedTool) {
  const auto killed = make_child_result(std::nullopt, "prog", 0, 9);
  ASSERT_TRUE(killed.error.has_value());
  EXPECT_EQ(killed.error->code, ErrorCode::kInternal);
  EXPECT_THAT(killed.error->message, HasSubstr("signal 9"));

  guard::Report report;
  report.signal = 9;
  const auto tool_killed = make_child_result(report, "prog", 0, 0);
  EXPECT_FALSE(tool_killed.error.has_value());
  EXPECT_EQ(tool_killed.signal, 9);
  EXPECT_FALSE(tool_killed.exit_code.has_value());
}

TEST(ChildResult, RefusesTheReportOfAnotherVersion) {
  guard::Report report;
  report.magic = 1;
  report.exit_code = 0;
  EXPECT_TRUE(make_child_result(report, "prog", 0, 0).error.has_value());
}

TEST(ChildResult, SaysWhatToDoWhenNothingCanBeSpawned) {
  EXPECT_EQ(spawn_error(EMFILE, "g").code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(spawn_error(EAGAIN, "g").code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(spawn_error(ETOOMANYREFS, "g").code, ErrorCode::kResourceExhausted);
  const Error missing = spawn_error(ENOENT, "/x/filecall-guard");
  EXPECT_EQ(missing.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(missing.message, HasSubstr("/x/filecall-guard"));
  EXPECT_THAT(missing.message, HasSubstr("tool.guard"));
}

}  // namespace
}  // namespace filecall::worker
