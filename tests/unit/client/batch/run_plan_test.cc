// SPDX-License-Identifier: MIT
#include "client/batch/run_plan.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

const TokenPrices kPrices = parse_prices(R"({"m": {"input": 1, "output": 10}})").value();

std::string chat(const std::string& members) {
  return R"({"command":"llm.chat","params":{)" + members + "}}";
}

TEST(RunPlan, AddsUpByModel) {
  RunPlan plan;
  plan.add(chat(R"("model":"m","prompt":"12345678")"), {});
  plan.add(chat(R"("model":"m","provider":"p","prompt":"x")"), {});
  plan.add(chat(R"("prompt":"x")"), {});
  plan.add(R"({"command":"system.echo","params":{}})", {});
  std::string names;
  for (const auto& [name, row] : plan.rows()) names += name + " ";
  EXPECT_EQ(names, "(default model) m p/m system.echo ");
  EXPECT_EQ(plan.total().requests, 4);
  EXPECT_EQ(plan.sample(), chat(R"("model":"m","prompt":"12345678")"));
  EXPECT_FALSE(plan.rows().at("system.echo").asks_model);
}

TEST(RunPlan, EstimatesFromTheTextAndTheLimitOfTheOutput) {
  RunPlan plan;
  // "m" and the prompt: 41 bytes.
  plan.add(chat(R"("model":"m","max_tokens":100,"prompt":")" + std::string(40, 'x') + "\""), {});
  const PlanRow& row = plan.rows().at("m");
  EXPECT_EQ(row.input_tokens, 11);
  EXPECT_EQ(estimated_tokens(row).least, 11);
  EXPECT_EQ(*estimated_tokens(row).most, 111);
  EXPECT_DOUBLE_EQ(estimated_cost(row, kPrices)->least, 11e-6);
  EXPECT_DOUBLE_EQ(*estimated_cost(row, kPrices)->most, 1011e-6);
  EXPECT_FALSE(estimated_cost(row, {})) << "no price, no cost";
}

TEST(RunPlan, WithoutALimitTheEstimateIsOpen) {
  RunPlan plan;
  plan.add(chat(R"("model":"m","prompt":"x")"), {});
  EXPECT_FALSE(estimated_tokens(plan.rows().at("m")).most);
  EXPECT_FALSE(estimated_cost(plan.rows().at("m"), kPrices)->most);
}

TEST(RunPlan, ImagesAreNoText) {
  RunPlan plan;
  plan.add(chat(R"("model":"m","messages":[{"content":[{"url":"data:)" + std::string(4000, 'x') +
                R"("}]}])"),
           {});
  EXPECT_LT(plan.rows().at("m").input_tokens, 10);
}

TEST(RunPlan, WhatEarlierAnswersUsedIsTheBetterEstimate) {
  RunPlan plan;
  plan.add(chat(R"("model":"m","prompt":"a")"), Spend{1, 100, 50, 0.5, 0});
  plan.add(chat(R"("model":"m","prompt":"b")"), Spend{1, 200, 50, 1.5, 0});
  plan.add(chat(R"("model":"m","prompt":"c")"), {});
  const PlanRow& row = plan.rows().at("m");
  EXPECT_EQ(row.left(), 1);
  EXPECT_EQ(*estimated_tokens(row).most, 200);
  EXPECT_DOUBLE_EQ(estimated_cost(row, {})->least, 1.0);
  EXPECT_EQ(plan.sample(), chat(R"("model":"m","prompt":"c")"));
}

}  // namespace
}  // namespace filecall::client
