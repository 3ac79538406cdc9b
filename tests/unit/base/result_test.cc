// SPDX-License-Identifier: MIT
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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

/// A failure that says more than an Error, as an answer's Failure does.
struct Detailed {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message;
  int details = 0;

  static Detailed of(Error error) { return {error.code, std::move(error.message), 0}; }
  bool operator==(const Detailed&) const = default;
};

Result<int, Detailed> third(int n) {
  if (n % 3 != 0) return Detailed{ErrorCode::kOutOfRange, "no multiple of three", n % 3};
  return n / 3;
}

Result<int, Detailed> sixth(int n) {
  TRY_ASSIGN(const int t, third(n));
  TRY_ASSIGN(const int s, half(t));
  return s;
}

Result<void, Detailed> check_sixth(int n) {
  TRY(third(n));
  TRY(check_even(n));
  return {};
}

TEST(Result, HandsOnAFailureOfItsOwnKindAsItIs) {
  EXPECT_EQ(sixth(12).value(), 2);
  EXPECT_EQ(sixth(11).error(), (Detailed{ErrorCode::kOutOfRange, "no multiple of three", 2}));
  EXPECT_EQ(check_sixth(11).error().details, 2);
}

TEST(Result, HandsOnAnErrorAsTheFailureThatIsMadeOfIt) {
  EXPECT_EQ(sixth(9).error(), (Detailed{ErrorCode::kInvalidArgument, "odd", 0}));
  EXPECT_EQ(check_sixth(9).error(), (Detailed{ErrorCode::kInvalidArgument, "odd", 0}));
  EXPECT_TRUE(check_sixth(12));
}

/// Made of a text, as a Json is.
struct Document {
  Document(std::string t) : text(std::move(t)) {}
  Document(const char* t) : text(t) {}
  std::string text;
};

TEST(Result, TakesItsErrorTypeForAFailureWhereAValueCouldBeMadeOfItToo) {
  const Result<Document, std::string> failed = std::string("a reason");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), "a reason");
  const Result<Document, std::string> good = Document("a text");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->text, "a text");
  static_assert(!std::is_convertible_v<const char*, Result<Document, std::string>>,
                "it could be either");
}

TEST(Result, GivesItsErrorAwayToWhoMovesIt) {
  Result<int, std::unique_ptr<int>> failed = std::make_unique<int>(3);
  EXPECT_EQ(*std::move(failed).error(), 3);
  Result<int, std::string> changed = std::string("reason");
  changed.error() += " 2";
  EXPECT_EQ(changed.error(), "reason 2");
}

TEST(ResultDeathTest, AskingAGoodResultForItsErrorIsAProgrammerError) {
  EXPECT_DEATH((void)half(2).error(), "a good Result has no error");
  EXPECT_DEATH((void)third(3).error(), "a good Result has no error");
  EXPECT_DEATH((void)check_even(2).error(), "a good Result has no error");
}

TEST(ResultDeathTest, AskingAFailedResultForItsValueIsAProgrammerError) {
  EXPECT_DEATH((void)half(1).value(), "a failed Result has no value");
}

}  // namespace
}  // namespace filecall
