// SPDX-License-Identifier: MIT
#include "client/eval/runner/call_figures.h"

#include <gtest/gtest.h>

namespace filecall::client {
namespace {

TEST(CallFigures, ACostIsWhatTheResponseSaysThenWhatTheRunReckonedThenThePrice) {
  const auto prices = parse_prices(R"({"m": {"input": 1000000, "output": 0}})");
  ASSERT_TRUE(prices);
  const Json tokens = {{"input_tokens", 5}, {"output_tokens", 1}};
  const Spend once{.calls = 1, .cost = 7};
  const Spend twice{.calls = 2, .cost = 14};
  const Spend unknown{.calls = 1, .unpriced = 1};
  const struct {
    Json data;
    Spend spend;
    std::optional<double> wanted;
  } kCases[] = {
      {{{"model", "m"}, {"usage", tokens}, {"cost", 3}}, once, 3},
      {{{"model", "m"}, {"usage", tokens}}, once, 7},
      {{{"model", "m"}, {"usage", tokens}}, twice, 5},
      {{{"model", "m"}, {"usage", tokens}}, unknown, 5},
      {{{"model", "m-2026"}, {"requested_model", "m"}, {"usage", tokens}}, {}, 5},
      {{{"model", "other"}, {"usage", tokens}}, {}, std::nullopt},
      {{{"model", "m"}, {"usage", Json::object()}}, {}, std::nullopt},
      {{{"model", "m"}}, {}, std::nullopt},
      {{{"model", "m"}, {"usage", tokens}, {"cost", 0}, {"cached", true}}, {}, std::nullopt},
      {"text", {}, std::nullopt},
  };
  for (const auto& c : kCases) {
    Response response;
    response.data = c.data;
    const CallFigures figures = call_figures(response, 2, c.spend, *prices);
    EXPECT_EQ(figures.cost, c.wanted) << c.data.dump();
    EXPECT_EQ(figures.is_cached, c.data.is_object() && c.data.contains("cached"));
    EXPECT_EQ(figures.turn, 2);
    EXPECT_EQ(figures.run_ms, std::nullopt);
  }
}

TEST(CallFigures, TheTimeIsThatOfTheLastAttemptInTheWorker) {
  Response response;
  response.data = Json::object();
  response.timing = ResponseTiming{.queued_ms = 500, .run_ms = 42};
  EXPECT_EQ(call_figures(response, 1, {}, {}).run_ms, 42);
}

TEST(CallFigures, OfTheResultOfARunTheTimeIsThatOfTheRun) {
  Request request;
  request.request_id = "run-1.result";
  request.command = "system.echo";
  request.metadata = {{"agent_run", "run-1"}};
  Response response;
  response.data = {{"run", "run-1"}, {"duration_ms", 5000}};
  CallFigures figures{.run_ms = 1};
  use_run_time(request, response, figures);
  EXPECT_EQ(figures.run_ms, 5000);
  response.data.erase("duration_ms");
  use_run_time(request, response, figures);
  EXPECT_EQ(figures.run_ms, std::nullopt) << "and not that of the echo";
  request.metadata = Json();
  figures.run_ms = 1;
  use_run_time(request, response, figures);
  EXPECT_EQ(figures.run_ms, 1);
}

}  // namespace
}  // namespace filecall::client
