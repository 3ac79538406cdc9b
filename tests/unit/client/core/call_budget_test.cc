// SPDX-License-Identifier: MIT
#include "client/core/call_budget.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "client/core/price_table.h"

namespace filecall::client {
namespace {

using testing::HasSubstr;

CallEstimate call_of(std::string model, std::int64_t input, std::optional<std::int64_t> output) {
  return {.asks_model = true,
          .provider = "",
          .model = std::move(model),
          .input_tokens = input,
          .output_tokens = output};
}

TokenPrices prices_of_dear_and_cheap() {
  return parse_prices(R"({"dear": {"input": 100, "output": 500}, "cheap": {"input": 1,
                          "output": 2}})")
      .value();
}

TEST(CallEstimate, ReckonsFromTheRequest) {
  const CallEstimate chat = estimate_call(
      R"({"request_id":"r","command":"llm.chat","params":{"model":"m","provider":"p","n":3,
          "max_tokens":50,"prompt":"123456789012345678901234567890"}})");
  EXPECT_TRUE(chat.asks_model);
  EXPECT_EQ(chat.model, "m");
  EXPECT_EQ(chat.provider, "p");
  EXPECT_GE(chat.input_tokens, 10);
  EXPECT_LE(chat.input_tokens, 30);
  EXPECT_EQ(chat.output_tokens, 150) << "each of n answers";
  const CallEstimate open =
      estimate_call(R"({"request_id":"r","command":"llm.chat","params":{"model":"m"}})");
  EXPECT_EQ(open.output_tokens, std::nullopt);
  EXPECT_EQ(estimate_call(R"({"command":"llm.embed","params":{"model":"m","input":["a"]}})")
                .output_tokens,
            0);
  for (const char* other : {"", "{}", R"({"command":"tool.run","params":{"model":"m"}})", "[1]"}) {
    EXPECT_FALSE(estimate_call(other).asks_model) << other;
  }
}

TEST(CallBudget, WithoutALimitEverythingBegins) {
  CallBudget budget({{}, {}, 3}, {});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(budget.admit(call_of("m", 10, {}), {}, i > 0).admission, Admission::kGo);
    budget.reserve("r" + std::to_string(i), call_of("m", 10, {}), {});
  }
  EXPECT_FALSE(budget.has_excess({}));
}

TEST(CallBudget, HoldsWhatMayPassTheLimitAndStopsWhenNothingWillMakeRoom) {
  CallBudget budget({0.1, {}, {}}, prices_of_dear_and_cheap());
  const CallEstimate call = call_of("dear", 0, 100);  // US$ 0.05
  EXPECT_EQ(budget.admit(call, {}, false).admission, Admission::kGo);
  budget.reserve("a", call, {});
  budget.reserve("b", call, {});
  EXPECT_EQ(budget.admit(call, {}, true).admission, Admission::kHold);
  EXPECT_EQ(budget.admit(call, {}, false).admission, Admission::kHold) << "those that wait end";
  EXPECT_EQ(budget.admit({}, {}, true).admission, Admission::kGo) << "another command";
  Spend spent{1, 0, 40, 0.02, 0};
  budget.release("a", spent);
  EXPECT_EQ(budget.admit(call, spent, true).admission, Admission::kHold);
  spent += Spend{1, 0, 70, 0.035, 0};
  budget.release("b", spent);
  const AdmissionVerdict verdict = budget.admit(call, spent, false);
  EXPECT_EQ(verdict.admission, Admission::kStop);
  EXPECT_THAT(verdict.reason, HasSubstr("may cost 0.0500 (--max-cost 0.1)"));
  EXPECT_EQ(budget.admit(call_of("cheap", 0, 100), spent, false).admission, Admission::kGo);
}

TEST(CallBudget, AModelOfWhichNothingIsKnownBeginsAlone) {
  CallBudget budget({1.0, {}, {}}, {});
  const CallEstimate call = call_of("m", 10, 10);
  EXPECT_EQ(budget.admit(call, {}, false).admission, Admission::kGo);
  budget.reserve("a", call, {});
  EXPECT_EQ(budget.admit(call, {}, true).admission, Admission::kHold);
  EXPECT_EQ(budget.admit(call, {}, false).admission, Admission::kGo) << "the first one waits";
  const Spend spent{1, 10, 10, 0.3, 0};
  budget.release("a", spent);
  EXPECT_EQ(budget.admit(call, spent, false).admission, Admission::kGo) << "0.45 at most";
  budget.reserve("b", call, spent);
  EXPECT_EQ(budget.admit(call, spent, true).admission, Admission::kHold);
  budget.release("b", {});
  const Spend more{2, 20, 20, 0.65, 0};
  EXPECT_EQ(budget.admit(call, more, false).admission, Admission::kGo) << "without the margin";
  budget.reserve("c", call, more);
  EXPECT_EQ(budget.admit(call_of("m", 0, 0), more, true).admission, Admission::kHold);
  EXPECT_FALSE(budget.has_excess(more));
  budget.release("c", {});
  EXPECT_EQ(budget.admit(call, {3, 0, 0, 0.75, 0}, false).admission, Admission::kStop);
}

TEST(CallBudget, EarlierRunsTellWhatACallUses) {
  const Spend earlier{4, 40, 8, 0.4, 0};
  const CallBudget budget({0.45, {}, {}}, {}, earlier);
  EXPECT_EQ(budget.admit(call_of("m", 10, {}), earlier, false).admission, Admission::kStop);
  const CallBudget higher({0.5, {}, {}}, {}, earlier);
  EXPECT_EQ(higher.admit(call_of("m", 10, {}), earlier, false).admission, Admission::kGo);
}

TEST(CallBudget, TokensHaveALimitToo) {
  CallBudget budget({{}, 100, {}}, {});
  budget.reserve("a", call_of("m", 20, 40), {});
  EXPECT_EQ(budget.admit(call_of("m", 10, 30), {}, true).admission, Admission::kGo);
  EXPECT_EQ(budget.admit(call_of("m", 10, 31), {}, true).admission, Admission::kHold);
}

/// A run in random order: calls of two models begin when they are admitted, fail and are tried
/// again, end. `wrong`: how far beyond its worst case the one wrong call goes.
double spent_in_random_run(std::uint64_t seed, double limit, double wrong) {
  Random random(seed);
  const TokenPrices prices = prices_of_dear_and_cheap();
  CallBudget budget({limit, {}, {}}, prices);
  Spend spent;
  struct Running {
    std::string id;
    CallEstimate call;
    Spend used;
  };
  std::vector<Running> running;
  const auto use = [&](Running& one, double share) {
    const TokenPrice* price = prices.find("", one.call.model, "");
    const double worst = price->cost(one.call.input_tokens, 0, *one.call.output_tokens);
    const Spend used{1, 0, 1, worst * share + std::exchange(wrong, 0), 0};
    one.used += used;
    spent += used;
  };
  for (int i = 0; i < 1500; ++i) {
    if (random.below(2) == 0) {
      const CallEstimate call =
          call_of(random.below(2) ? "dear" : "cheap", static_cast<std::int64_t>(random.below(1000)),
                  static_cast<std::int64_t>(random.below(1000)));
      const Admission admission = budget.admit(call, spent, !running.empty()).admission;
      EXPECT_FALSE(admission == Admission::kHold && running.empty()) << "nothing would end it";
      if (admission != Admission::kGo) continue;
      running.push_back({"r" + std::to_string(i), call, {}});
      budget.reserve(running.back().id, call, spent);
    } else if (!running.empty()) {
      Running& one = running[random.below(running.size())];
      const double share = static_cast<double>(random.below(101)) / 100;
      const bool fails = random.below(4) == 0 && !budget.has_excess(spent);
      use(one, share);
      if (fails && !budget.has_excess(spent)) continue;  // The next attempt has begun.
      budget.release(one.id, one.used);
      running.erase(running.begin() + (&one - running.data()));
    }
  }
  return spent.cost;
}

TEST(CallBudget, IsNeverPassedWhereTheEstimatesAreRight) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const double limit = 0.5 + static_cast<double>(seed % 7);
    const double spent = spent_in_random_run(seed, limit, 0);
    EXPECT_LE(spent, limit * (1 + 1e-6)) << "seed " << seed;
    EXPECT_GT(spent, limit * 0.8) << "seed " << seed;
  }
}

TEST(CallBudget, IsPassedByNoMoreThanTheOneEstimateThatWasWrong) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_LE(spent_in_random_run(seed, 2.0, 0.7), 2.7 * (1 + 1e-6)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace filecall::client
