// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace filecall {
namespace {

TEST(ErrorCode, EveryCodeHasANameThatReadsBack) {
  for (int i = 0; i < kErrorCodeCount; ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(parse_error_code(to_string(code)), code);
  }
  EXPECT_FALSE(parse_error_code("ok"));
}

TEST(ErrorCode, OnlyPassingTroubleIsRetryable) {
  EXPECT_TRUE(is_retryable(ErrorCode::kUnavailable));
  EXPECT_TRUE(is_retryable(ErrorCode::kResourceExhausted));
  EXPECT_TRUE(is_retryable(ErrorCode::kDeadlineExceeded));
  EXPECT_TRUE(is_retryable(ErrorCode::kUnknown));
  EXPECT_FALSE(is_retryable(ErrorCode::kInvalidArgument));
  EXPECT_FALSE(is_retryable(ErrorCode::kAborted));
  EXPECT_FALSE(is_retryable(ErrorCode::kCancelled));
}

TEST(ErrnoError, NamesTheObjectAndTheReason) {
  const Error error = errno_error(ENOSPC, "/x/y");
  EXPECT_EQ(error.code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(error.message, "/x/y: No space left on device");
}

}  // namespace
}  // namespace filecall
