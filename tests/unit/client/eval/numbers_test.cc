// SPDX-License-Identifier: MIT
#include "client/eval/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;

TEST(Numbers, AreThoseThatPeopleWouldRead) {
  const struct {
    std::string_view text;
    std::vector<double> wanted;
  } kCases[] = {
      {"The answer is 42.", {42}},
      {"3.5 and -2 and +7", {3.5, -2, 7}},
      {"\xe2\x88\x92"
       "4 degrees",
       {-4}},
      {"$1,234,567.89 or -$5", {1234567.89, -5}},
      {"\xe2\x82\xac"
       "5",
       {5}},
      {"1,23 and 12,3456", {1, 23, 12, 3456}},
      {"6.02e23, 1E-3, 5e", {6.02e23, 1e-3, 5}},
      {".5 and 0.25 and 7.", {0.5, 0.25, 7}},
      {"50%", {50}},
      {"3-4, 2026-11-21", {3, 4, 2026, 11, 21}},
      {"gpt4 H2O x_2 v1.5", {}},
      {"x=5km", {5}},
      {"#### 72", {72}},
      {"**18**", {18}},
      {"1.2.3", {1.2}},
      {"no number", {}},
      {"", {}},
      {"1e999 7", {7}},
      {"-", {}},
      {"...", {}},
  };
  for (const auto& row : kCases) EXPECT_EQ(numbers_in(row.text), row.wanted) << row.text;
}

TEST(Numbers, OfHostileTextsComeInLinearTime) {
  EXPECT_TRUE(numbers_in(std::string(2'000'000, '9')).empty());  // Infinite.
  EXPECT_EQ(numbers_in(std::string(1'000'000, '.') + "5").size(), 1U);
  std::string groups = "1";
  for (int i = 0; i < 300'000; ++i) groups += ",000";
  EXPECT_TRUE(numbers_in(groups).empty());
  EXPECT_EQ(numbers_in(std::string(1'000'000, '-') + "5"), std::vector<double>{-5});
}

}  // namespace
}  // namespace filecall::client
