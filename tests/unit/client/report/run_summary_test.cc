// SPDX-License-Identifier: MIT
#include "client/report/run_summary.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "client/report/json_summary.h"
#include "outcomes.h"

namespace filecall::client {
namespace {

TEST(RunSummary, KeepsEarlierRunsOutOfLatenciesAndRate) {
  RunSummary summary(kTestStart);
  RequestOutcome earlier = success_outcome("old", 9'000);
  earlier.from_earlier_run = true;
  summary.add(earlier);
  summary.add(success_outcome("new", 20));
  summary.finish(kTestStart + seconds(2), false);
  EXPECT_EQ(summary.success(), 2);
  EXPECT_EQ(summary.from_earlier_runs(), 1);
  EXPECT_EQ(summary.latency_ms().count(), 1);
  EXPECT_EQ(summary.latency_ms().max(), 20);
  EXPECT_DOUBLE_EQ(summary.rate(), 0.5);
}

TEST(RunSummary, TellsWhatAnotherClientAskedFromWhatEndedBefore) {
  RunSummary summary(kTestStart);
  RequestOutcome outcome = success_outcome("a", 10);
  outcome.from_earlier_run = true;
  summary.add(outcome);
  outcome.is_followed = true;
  summary.add(outcome);
  summary.add(success_outcome("b", 10));
  EXPECT_EQ(summary.from_earlier_runs(), 1);
  EXPECT_EQ(summary.followed(), 1);
  EXPECT_EQ(summary.asked(), 1);
}

TEST(RunSummary, KeepsTheSlowestInOrderAndBounded) {
  RunSummary summary(kTestStart);
  for (int i = 0; i < 1000; ++i) {
    summary.add(success_outcome("r" + std::to_string(i), (i * 7919) % 1000));
  }
  ASSERT_EQ(summary.slowest().size(), RunSummary::kSlowestMax);
  for (std::size_t i = 0; i < RunSummary::kSlowestMax; ++i) {
    EXPECT_EQ(summary.slowest()[i].latency_ms, 999 - static_cast<std::int64_t>(i));
  }
}

TEST(RunSummary, BoundsWhatAHostileBatchCouldGrow) {
  RunSummary summary(kTestStart);
  for (int i = 0; i < 1000; ++i) {
    RequestOutcome outcome =
        gave_up_outcome("id" + std::to_string(i), ErrorCode::kUnavailable, std::string(5000, 'x'));
    outcome.command = "made.up" + std::to_string(i);
    outcome.attempts = 1 + i;
    summary.add(outcome);
  }
  EXPECT_EQ(summary.gave_up(), 1000);
  EXPECT_EQ(summary.gave_up_list().size(), RunSummary::kGaveUpMax);
  EXPECT_LE(summary.by_command().size(), RunSummary::kCommandsMax + 1);
  EXPECT_LE(summary.gave_up_list()[0].error_message.size(), RunSummary::kMessageBytesMax + 3);
  EXPECT_EQ(summary.by_attempts().back(), 1000 - RunSummary::kAttemptsMax + 1);
}

TEST(RunSummary, CutsMessagesBetweenCharacters) {
  RunSummary summary(kTestStart);
  std::string message = "x";
  for (int i = 0; i < 400; ++i) message += "\xc3\xa9";
  summary.add(gave_up_outcome("a", ErrorCode::kUnknown, message));
  EXPECT_TRUE(is_valid_utf8(summary.gave_up_list()[0].error_message));
}

TEST(RunSummary, CountsRetriesOnceThoughToldOften) {
  RunSummary summary(kTestStart);
  summary.set_retries(3, kTestStart);
  summary.set_retries(3, kTestStart + seconds(1));
  summary.set_retries(5, kTestStart + seconds(2));
  EXPECT_EQ(summary.retries(), 5);
  std::int64_t on_line = 0;
  for (const auto& bucket : summary.time_line().buckets()) on_line += bucket.retries;
  EXPECT_EQ(on_line, 5);
}

TEST(JsonSummary, NamesStatesAndCodesAsTheProtocolDoes) {
  RunSummary summary(kTestStart);
  summary.name = "batch.jsonl";
  summary.total = 3;
  summary.add(success_outcome("a", 10));
  summary.add(gave_up_outcome("b", ErrorCode::kDeadlineExceeded, "slow"));
  summary.finish(kTestStart + seconds(1), true);
  const Json json = json_summary(summary);
  EXPECT_EQ(json["requests"], 3);
  EXPECT_EQ(json["counts"], Json({{"SUCCESS", 1}, {"GAVE_UP", 1}}));
  EXPECT_EQ(json["errors"], Json({{"deadline_exceeded", 1}}));
  EXPECT_EQ(json["attempts"], Json({{"1", 1}, {"3", 1}}));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(json["gave_up"][0]["request_id"], "b");
  EXPECT_EQ(json["latency_ms"]["max"], 30);
}

}  // namespace
}  // namespace filecall::client
