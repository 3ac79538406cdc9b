// SPDX-License-Identifier: MIT
#include "client/report/retry_advice.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using Errors = std::array<std::int64_t, kErrorCodeCount>;

Errors errors_of(std::initializer_list<ErrorCode> codes) {
  Errors errors{};
  for (const ErrorCode code : codes) ++errors[static_cast<std::size_t>(code)];
  return errors;
}

TEST(RetryCommands, NamesWhatEachErrorIsTakenBy) {
  using enum ErrorCode;
  EXPECT_EQ(retry_commands({}), "");
  EXPECT_EQ(retry_commands(errors_of({kUnavailable, kNotFound})), "'filecall retry --failed'");
  EXPECT_EQ(retry_commands(errors_of({kCancelled})), "'filecall retry --failed --code cancelled'");
  EXPECT_EQ(retry_commands(errors_of({kAborted, kUnknown})),
            "'filecall retry --failed' and 'filecall retry --failed --code aborted'");
  EXPECT_EQ(retry_commands(errors_of({kAborted, kCancelled, kUnknown})),
            "'filecall retry --failed', 'filecall retry --failed --code cancelled' and 'filecall "
            "retry --failed --code aborted'");
}

}  // namespace
}  // namespace filecall::client
