// SPDX-License-Identifier: MIT
#include "client/report/text_summary.h"

#include <gtest/gtest.h>

#include "outcomes.h"

namespace filecall::client {
namespace {

RunSummary sample() {
  RunSummary summary(kTestStart);
  summary.name = "evaluation.jsonl";
  summary.total = 1002;
  for (int i = 1; i <= 1000; ++i) summary.add(success_outcome("r" + std::to_string(i), i));
  summary.add(gave_up_outcome("bad\x1b[2J", ErrorCode::kInvalidArgument, "params: 'x' is missing"));
  summary.add(gave_up_outcome("slow-one", ErrorCode::kDeadlineExceeded, "no response in 10s"));
  summary.set_retries(4, kTestStart + seconds(1));
  summary.finish(kTestStart + seconds(10), false);
  return summary;
}

TEST(TextSummary, SaysWhatARunDid) {
  EXPECT_EQ(text_summary(sample(), {}),
            "evaluation.jsonl: 1 002 of 1 002 requests ended in 10s, 100/s\n"
            "  success   1 000\n"
            "  gave up   2\n"
            "  retries   4\n"
            "  attempts  1 for 1 000 requests,  3 for 2 requests\n"
            "  latency   p50 497 ms   p90 899 ms   p99 987 ms   p99.9 995 ms   max 1.00 s\n"
            "  in worker p50 248 ms   p90 449 ms   p99 493 ms   p99.9 497 ms   max 500 ms\n"
            "  errors    invalid_argument 1,  deadline_exceeded 1\n"
            "\n"
            "Given up:\n"
            "  bad\xef\xbf\xbd[2J   invalid_argument: params: 'x' is missing\n"
            "  slow-one  deadline_exceeded: no response in 10s\n");
}

TEST(TextSummary, ColoursOnlyWhenTold) {
  EXPECT_EQ(text_summary(sample(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(text_summary(sample(), {.colour = true}).find("\x1b[31m2\x1b[0m"), std::string::npos);
}

TEST(TextSummary, SaysWhatWasUsedAndWhyItStopped) {
  RunSummary summary = sample();
  summary.spend = {1002, 1'234'567, 8'900, 1.5, 1};
  summary.stopped_by = "a limit";
  summary.finish(kTestStart + seconds(10), true);
  const std::string text = text_summary(summary, {});
  EXPECT_NE(text.find("100/s (stopped by a limit)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  tokens    1 234 567 in,  8 900 out\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  cost      $1.50 and 1 call without a price; give"), std::string::npos)
      << text;
}

TEST(TextSummary, SaysWhatCameFromACache) {
  RunSummary summary(kTestStart);
  RequestOutcome hit = success_outcome("hit", 1);
  hit.is_cached = true;
  summary.add(hit);
  summary.finish(kTestStart + seconds(1), false);
  const std::string text = text_summary(summary, {});
  EXPECT_NE(text.find("  cached    1 of them came from the cache\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("attempts"), std::string::npos) << "it took none";
  EXPECT_EQ(summary.latency_ms().count(), 0);
}

TEST(TextSummary, SaysHowManyOfTheGivenUpWereRetriedMeanwhile) {
  RunSummary summary = sample();
  EXPECT_EQ(text_summary(summary, {}).find("meanwhile"), std::string::npos);
  summary.retried_meanwhile = 1;
  EXPECT_NE(text_summary(summary, {}).find("  1 of them was given new attempts meanwhile; run"),
            std::string::npos);
  RequestOutcome more;
  more.state = RequestState::kGaveUp;
  for (int i = 0; i < 300; ++i) summary.add(more);
  EXPECT_LT(summary.gave_up_list().size(), 300U);
  EXPECT_NE(text_summary(summary, {}).find("at least 1 of them was given new"), std::string::npos);
}

TEST(TextSummary, SaysHowManyItDoesNotName) {
  EXPECT_NE(text_summary(sample(), {.gave_up_max = 1}).find("... and 1 more"), std::string::npos);
}

}  // namespace
}  // namespace filecall::client
