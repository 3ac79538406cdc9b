// SPDX-License-Identifier: MIT
#include "client/cli/exit_code.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(ExitCode, OfSeveralRequestsIsThatOfTheWorstFailure) {
  using enum ErrorCode;
  const std::pair<std::vector<ErrorCode>, int> rows[] = {
      {{}, kExitSuccess},
      {{kNotFound}, kExitGaveUp},
      {{kUnavailable, kFailedPrecondition}, kExitGaveUp},
      {{kInvalidArgument, kNotFound}, kExitUsage},
      {{kResourceExhausted, kInvalidArgument, kNotFound}, kExitDisk},
      {{kNotFound, kInvalidArgument, kResourceExhausted}, kExitDisk}};
  for (const auto& [failures, expected] : rows) {
    int code = kExitSuccess;
    for (const ErrorCode failure : failures) code = worse_exit_code(code, failure);
    EXPECT_EQ(code, expected);
  }
}

}  // namespace
}  // namespace filecall::client
