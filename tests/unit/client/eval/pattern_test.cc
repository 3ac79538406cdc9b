// SPDX-License-Identifier: MIT
#include "client/eval/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

Pattern pattern(const std::string& expression, const Pattern::Options& options = {}) {
  auto compiled = Pattern::compile(expression, options);
  EXPECT_TRUE(compiled) << expression;
  return *compiled;
}

TEST(Pattern, FindsOrMatchesTheWhole) {
  EXPECT_TRUE(pattern("b+").is_found_in("abbc"));
  EXPECT_FALSE(pattern("b+").matches_all_of("abbc"));
  EXPECT_TRUE(pattern("a.*c").matches_all_of("abbc"));
  EXPECT_FALSE(pattern("B").is_found_in("abc"));
  EXPECT_TRUE(pattern("B", {.ignore_case = true}).is_found_in("abc"));
  EXPECT_FALSE(pattern("a.b").is_found_in("a\nb"));
  EXPECT_TRUE(pattern("a.b", {.dot_is_any = true}).is_found_in("a\nb"));
  EXPECT_FALSE(pattern("^b$").is_found_in("a\nb\nc"));
  EXPECT_TRUE(pattern("^b$", {.is_multi_line = true}).is_found_in("a\nb\nc"));
}

TEST(Pattern, ExtractsTheFirstGroupOfTheFirstOrLastMatch) {
  const std::string text = "Answer: 12. No, Answer: 7";
  EXPECT_EQ(pattern("Answer: (\\d+)").extract(text, false), "12");
  EXPECT_EQ(pattern("Answer: (\\d+)").extract(text, true), "7");
  EXPECT_EQ(pattern("\\d+").extract(text, true), "7");
  EXPECT_EQ(pattern("Frage").extract(text, true), std::nullopt);
  EXPECT_EQ(pattern("(x)|\\d+").extract(text, false), "");  // The group took no part.
  EXPECT_EQ(pattern("y*").extract("xx", true), "");         // Empty matches end, too.
  EXPECT_EQ(pattern("").extract("", true), "");
}

TEST(Pattern, SaysWhatIsWrongWithAnExpression) {
  for (const char* expression : {"(", "[a", "(?=a)", "(a)\\1", "a{9999}"}) {
    const auto compiled = Pattern::compile(expression, {});
    ASSERT_FALSE(compiled) << expression;
    EXPECT_THAT(compiled.error().message, testing::HasSubstr("regular expression: "));
  }
}

TEST(Pattern, TakesLinearTimeOnTextsThatMakeOthersHang) {
  const std::string hostile(1'000'000, 'a');
  EXPECT_FALSE(pattern("(a+)+$b").is_found_in(hostile));
  EXPECT_FALSE(pattern("(a|a)*c").matches_all_of(hostile));
  EXPECT_FALSE(pattern("(.*)(.*)(.*)(.*)x").is_found_in(hostile));
  EXPECT_EQ(pattern("(a*)").extract(hostile, true), "");
}

}  // namespace
}  // namespace filecall::client
