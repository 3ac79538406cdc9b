// SPDX-License-Identifier: MIT
#include "client/agent/plan/report_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

TEST(ReportCheck, NamesWhatIsNowhereInTheResults) {
  const std::vector<std::string> results =
      texts_of({{"items",
                 {{{"name", "web-7f9c"},
                   {"namespace", "shop"},
                   {"replicas", 3},
                   {"image", "registry.local/shop/web:v2"},
                   {"message", "Back-off pulling image \"web:v2\"\nexit code 137"}}}}});
  const struct {
    std::string report;
    std::vector<std::string> unsupported;
  } rows[] = {
      {"", {}},
      {"The Pod web-7f9c in shop runs 3 replicas of registry.local/shop/web:v2.", {}},
      {"It ended with exit code 137.", {}},
      {"`web-7f9c` and \"shop\" and 'web:v2' are there.", {}},
      {"WEB-7F9C is the same.", {}},
      {"The Pod web-7f9d is missing.", {"web-7f9d"}},
      {"It has 4 replicas.", {"4"}},
      {"It has 13 replicas, exit code 37.", {"13", "37"}},
      {"`db` waits for \"cache\".", {"db", "cache"}},
      {"See checkoutService and main_test.cc.", {"checkoutService", "main_test.cc"}},
      {"1. web-7f9c\n2) shop\n  3. nothing", {}},
      {"1. It has 1 replica.", {"1"}},
      {"It isn't the user's fault.", {}},
      {"`web-x` and again web-x.", {"web-x"}},
      {"Plain words are never named, Nor Capitals.", {}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(unsupported_claims(row.report, results), row.unsupported) << row.report;
  }
}

TEST(ReportCheck, SupportsNothingWithoutResults) {
  EXPECT_THAT(unsupported_claims("a-b and 7", {}), ElementsAre("a-b", "7"));
  EXPECT_THAT(unsupported_claims("", {}), IsEmpty());
}

TEST(ReportCheck, FindsNamesNumbersAndMembersOfAValue) {
  EXPECT_THAT(texts_of({{"a", {1, 2.5, {{"b", "c"}}}}, {"d", true}}),
              IsSupersetOf({"a", "1", "2.5", "b", "c", "d"}));
}

TEST(ReportCheck, IsBounded) {
  std::string report;
  for (int i = 0; i < 5000; ++i) report += "x" + std::to_string(i) + " ";
  EXPECT_EQ(unsupported_claims(report, {std::string(1'000'000, 'y')}).size(), 200U);
}

}  // namespace
}  // namespace filecall::client
