// SPDX-License-Identifier: MIT
#include "client/core/price_table.h"

#include <gmock/gmock.h>

#include "client/core/run_limits.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

Response answer(Json data) {
  Response response;
  response.data = std::move(data);
  return response;
}

const Json kUsage = {{"input_tokens", 1000}, {"output_tokens", 10}, {"cached_input_tokens", 400}};

TEST(Spend, IsWhatTheAnswerSays) {
  const Spend spend = spend_of(answer({{"usage", kUsage}, {"cost", 0.25}, {"model", "m"}}), {});
  EXPECT_EQ(spend, (Spend{1, 1000, 10, 0.25, 0}));
}

TEST(Spend, IsCountedByPricesWhenTheAnswerHasNone) {
  const auto prices =
      parse_prices(R"({"m": {"input": 2, "output": 8, "cached_input": 1}, "*": {"input": 1}})");
  ASSERT_TRUE(prices) << prices.error().message;
  const double cost = (600 * 2 + 400 * 1 + 10 * 8) / 1e6;
  EXPECT_DOUBLE_EQ(spend_of(answer({{"usage", kUsage}, {"model", "m"}}), *prices).cost, cost);
  EXPECT_DOUBLE_EQ(spend_of(answer({{"usage", kUsage}, {"model", "x"}}), *prices).cost, 1000 / 1e6);
}

TEST(Spend, ADatedNameHasThePriceOfTheNameThatWasAskedFor) {
  const auto prices =
      parse_prices(R"({"gpt-5": {"input": 2, "aliases": ["gpt-next"]}, "mini*": {"input": 1}})");
  ASSERT_TRUE(prices) << prices.error().message;
  const auto cost = [&](const char* requested, const char* answered) {
    return spend_of(answer({{"usage", {{"input_tokens", 1000}}},
                            {"requested_model", requested},
                            {"model", answered}}),
                    *prices)
        .cost;
  };
  EXPECT_DOUBLE_EQ(cost("gpt-5", "gpt-5-2026-08-07"), 0.002);
  EXPECT_DOUBLE_EQ(cost("gpt-next", "gpt-5-2026-08-07"), 0.002);
  EXPECT_DOUBLE_EQ(cost("mini-latest", "mini-2026-08-07"), 0.001);
}

TEST(Prices, ANameHasOnePrice) {
  const auto prices = parse_prices(R"({"a": {"input": 2, "aliases": ["b"]}, "b": {"input": 1}})");
  ASSERT_FALSE(prices);
  EXPECT_THAT(prices.error().message, HasSubstr("two prices"));
}

TEST(Spend, AnAnswerWithoutAPriceSaysSo) {
  EXPECT_EQ(spend_of(answer({{"usage", kUsage}, {"model", "m"}}), {}), (Spend{1, 1000, 10, 0, 1}));
}

TEST(Spend, APriceThatIsKnownLaterCountsForTheLastResponse) {
  const auto prices = parse_prices(R"({"m": {"input": 2}})");
  const Response last = answer({{"usage", kUsage}, {"model", "m"}});
  EXPECT_EQ(priced_again({2, 2000, 20, 0, 2}, last, *prices), (Spend{2, 2000, 20, 0.002, 1}));
  EXPECT_EQ(priced_again({2, 2000, 20, 1, 1}, last, *prices), (Spend{2, 2000, 20, 1, 1}))
      << "the one with a price may be this one";
  EXPECT_EQ(priced_again({1, 1000, 10, 0, 1}, last, {}), (Spend{1, 1000, 10, 0, 1}));
  EXPECT_EQ(priced_again({1, 1000, 10, 1, 0}, last, *prices), (Spend{1, 1000, 10, 1, 0}));
}

TEST(Spend, AFailureThatWasPaidForCounts) {
  Response response;
  response.failure.emplace();
  EXPECT_EQ(spend_of(response, {}), Spend{});
  response.failure->details = {{"answer", {{"usage", kUsage}, {"cost", 0.5}}}};
  EXPECT_EQ(spend_of(response, {}), (Spend{1, 1000, 10, 0.5, 0}));
}

TEST(Spend, OtherCommandsUseNothing) {
  for (const Json& data : {Json(), Json(3), Json{{"usage", 3}}, Json{{"stdout", "x"}}}) {
    EXPECT_EQ(spend_of(answer(data), {}), Spend{}) << data;
  }
  const Json strange = {{"usage", {{"input_tokens", -5}, {"output_tokens", "x"}}}};
  EXPECT_EQ(spend_of(answer(strange), {}), (Spend{1, 0, 0, 0, 1}));
}

TEST(Spend, IsNeverLessThanNothingAndCanBeAddedUp) {
  EXPECT_EQ(spend_of(answer({{"usage", kUsage}, {"cost", -7}}), {}).cost, 0);
  EXPECT_LT(spend_of(answer({{"usage", kUsage}, {"cost", 1e308}}), {}).cost, 1e13);
  const auto prices = parse_prices(R"({"*": {"input": 2, "cached_input": 0}})");
  const Json odd = {{"input_tokens", 5}, {"output_tokens", 0}, {"cached_input_tokens", 1000}};
  EXPECT_EQ(spend_of(answer({{"usage", odd}}), *prices).cost, 0);
  const Json huge = {{"input_tokens", 18446744073709551615U}, {"output_tokens", INT64_MAX}};
  const Spend spend = spend_of(answer({{"usage", huge}}), {});
  EXPECT_GT(spend.input_tokens, 0);
  EXPECT_LT(spend.output_tokens, INT64_MAX / 1'000'000);
}

TEST(Spend, AResponseThatNamesNoTokensHasNoKnownCostWhateverThePrice) {
  const auto prices = parse_prices(R"({"*": {"input": 2}})");
  for (const Json& usage : {Json::object(), Json{{"input_tokens", "7"}}}) {
    const Spend spend = spend_of(answer({{"usage", usage}, {"model", "m"}}), *prices);
    EXPECT_EQ(spend, (Spend{1, 0, 0, 0, 1})) << usage;
  }
}

TEST(Prices, RefusesWhatIsNoPrice) {
  for (const char* bad :
       {"", "[]", R"({"m": 3})", R"({"m": {"inputs": 3}})", R"({"m": {"input": "3"}})",
        R"({"m": {"input": -1}})", R"({"m": {"aliases": "x"}})", R"({"m": {"aliases": [1]}})"}) {
    EXPECT_FALSE(parse_prices(bad)) << bad;
  }
}

TEST(RunLimits, StopAtALimit) {
  struct Row {
    RunLimits limits;
    RunTotals totals;
    Admission expected;
  };
  const RunLimits cost{1.0, {}, {}};
  const RunLimits tokens{{}, 1000, {}};
  const RunLimits errors{{}, {}, 2};
  const auto spent = [](std::int64_t calls, std::int64_t used, double paid) {
    return Spend{calls, used, 0, paid, 0};
  };
  const Row rows[] = {
      {{}, {spent(5, 1'000'000, 1e6), 100}, Admission::kGo},
      {cost, {}, Admission::kGo},
      {cost, {spent(4, 0, 0.99), 0}, Admission::kGo},
      {cost, {spent(4, 0, 1.0), 0}, Admission::kStop},
      {tokens, {spent(2, 999, 0), 0}, Admission::kGo},
      {tokens, {spent(2, 1000, 0), 0}, Admission::kStop},
      {errors, {spent(2, 1000, 9), 1}, Admission::kGo},
      {errors, {spent(2, 1000, 9), 2}, Admission::kStop},
      {{0.0, {}, {}}, {}, Admission::kStop},
  };
  for (const Row& row : rows) {
    const AdmissionVerdict verdict = admit(row.limits, row.totals);
    EXPECT_EQ(verdict.admission, row.expected) << &row - rows;
    EXPECT_EQ(verdict.reason.empty(), row.expected != Admission::kStop) << &row - rows;
  }
}

TEST(RunLimits, ACostThatCannotBeKnownCannotBeKept) {
  const AdmissionVerdict verdict = admit({1.0, {}, {}}, {{1, 10, 10, 0, 1}, 0});
  EXPECT_EQ(verdict.admission, Admission::kStop);
  EXPECT_THAT(verdict.reason, HasSubstr("--prices"));
}

}  // namespace
}  // namespace filecall::client
