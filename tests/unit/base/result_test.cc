// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace filecall {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorCode::kInvalidArgument, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  TRY_ASSIGN(const int h, half(n));
  return half(h);
}

Result<void> check_even(int n) {
  TRY(half(n));
  return {};
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error(), (Error{ErrorCode::kInvalidArgument, "odd"}));
  EXPECT_TRUE(check_even(2));
  EXPECT_FALSE(check_even(3));
  EXPECT_EQ(half(3).value_or(7), 7);
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  EXPECT_EQ(*std::move(result).value(), 5);
}

TEST(ResultDeathTest, AskingAFailedResultForItsValueIsAProgrammerError) {
  EXPECT_DEATH((void)half(1).value(), "a failed Result has no value");
}

}  // namespace
}  // namespace filecall
