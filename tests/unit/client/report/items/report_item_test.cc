// SPDX-License-Identifier: MIT
#include "client/report/items/report_item.h"

#include <gtest/gtest.h>

#include "client/core/digest.h"
#include "client/report/items/item_text.h"

namespace filecall::client {
namespace {

const std::string kRequest =
    R"({"request_id":"q-1","command":"llm.chat","params":{"model":"m","prompt":"2+2?"},)"
    R"("metadata":{"item":"sum","prompt":"short","provider":"p","model":"big","repeat":2}})";
const std::string kAnswer =
    R"({"request_id":"q-1","status":"success","data":{"text":"4","finish_reason":"stop",)"
    R"("time_to_first_token_ms":12,"usage":{"input_tokens":7,"output_tokens":1},"cost":0.5,)"
    R"("model":"big-2026"},"timing":{"received_at":"2026-01-01T00:00:00Z","started_at":)"
    R"("2026-01-01T00:00:01Z","finished_at":"2026-01-01T00:00:03Z","queued_ms":1000,)"
    R"("run_ms":2000}})";
const std::string kError =
    R"({"request_id":"q-1","status":"error","error_message":"slow down","error_code":)"
    R"("resource_exhausted","error_details":{"class":"rate_limited","partial":{"text":"4 i"}}})";

RequestEntry entry(RequestState state) {
  RequestEntry entry;
  entry.request_id = "q-1";
  entry.state = state;
  entry.attempts = 2;
  entry.submitted_at = WallTime(seconds(100));
  if (is_final(state)) entry.finished_at = WallTime(seconds(107));
  return entry;
}

std::string record(const std::string& answer, const std::string& rest) {
  return R"({"request_id":"q-1","evaluations":{"e":{"spec_digest":"s","response_digest":")" +
         digest_of(answer) +
         R"(","evaluated_at":"2026-01-01T00:00:00Z","item":"sum","grades":[],)" + rest + "}}}";
}

TEST(ReportItem, SaysWhatWasAskedAndAnswered) {
  const ReportItem item =
      make_report_item(entry(RequestState::kSuccess), {kRequest, kAnswer, std::nullopt}, "");
  EXPECT_EQ(item.command, "llm.chat");
  EXPECT_EQ(item.item, "sum");
  EXPECT_EQ(item.prompt_name, "short");
  EXPECT_EQ(item.provider, "p");
  EXPECT_EQ(item.model, "big") << "what was asked for, not what was served";
  EXPECT_EQ(item.repeat, 2);
  EXPECT_EQ(item.prompt, "2+2?");
  EXPECT_EQ(item.answer, "4");
  EXPECT_EQ(item.usage.input_tokens, 7);
  EXPECT_EQ(item.usage.cost, 0.5);
  EXPECT_EQ(item.first_token_ms, 12);
  EXPECT_EQ(item.latency_ms, 7000);
  EXPECT_EQ(item.run_ms, 2000);
  EXPECT_EQ(item.outcome, ItemOutcome::kAnswered);
}

TEST(ReportItem, BoundsFiguresThatAnAnswerMadeUp) {
  for (const auto& [usage, cost] :
       {std::pair(R"({"input_tokens":1e300,"output_tokens":-5})", "-1"),
        std::pair(R"({"input_tokens":18446744073709551615,"output_tokens":0})", "-1e300")}) {
    const std::string answer =
        std::string(R"({"request_id":"q-1","status":"success","data":{"text":"4","usage":)") +
        usage + R"(,"cost":)" + cost + "}}";
    const ReportItem item =
        make_report_item(entry(RequestState::kSuccess), {kRequest, answer, std::nullopt}, "");
    EXPECT_EQ(item.usage.input_tokens, 1'000'000'000'000);
    EXPECT_EQ(item.usage.output_tokens, 0);
    EXPECT_EQ(item.usage.cost, 0);
  }
}

TEST(ReportItem, CountsWhatAllItsCallsUsed) {
  RequestEntry twice = entry(RequestState::kSuccess);
  twice.spend = {.calls = 2, .input_tokens = 14, .output_tokens = 9, .cost = 0.75};
  const ReportItem item = make_report_item(twice, {kRequest, kAnswer, std::nullopt}, "");
  EXPECT_EQ(item.usage.input_tokens, 14);
  EXPECT_EQ(item.usage.output_tokens, 9);
  EXPECT_EQ(item.usage.cost, 0.75);
  twice.spend.unpriced = 1;
  EXPECT_TRUE(make_report_item(twice, {kRequest, kAnswer, std::nullopt}, "").usage.is_unpriced());
}

TEST(ReportItem, TakesTheWorkersTimesWhereNoClientKeptAny) {
  RequestEntry inferred = entry(RequestState::kSuccess);
  inferred.is_inferred = true;
  EXPECT_EQ(make_report_item(inferred, {kRequest, kAnswer, std::nullopt}, "").latency_ms, 3000);
}

TEST(ReportItem, TakesAnErrorsClassAndWhatItBrought) {
  const ReportItem item =
      make_report_item(entry(RequestState::kGaveUp), {kRequest, kError, std::nullopt}, "");
  EXPECT_EQ(item.outcome, ItemOutcome::kError);
  EXPECT_EQ(item.error_class, "rate_limited");
  EXPECT_EQ(item.error_code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(item.answer, "4 i");
}

TEST(ReportItem, NamesAnErrorByItsCodeWithoutAClass) {
  RequestEntry lost = entry(RequestState::kGaveUp);
  lost.error_code = ErrorCode::kDeadlineExceeded;
  lost.error_message = "no answer";
  const ReportItem item = make_report_item(lost, {}, "e");
  EXPECT_EQ(item.error_class, "deadline_exceeded");
  EXPECT_EQ(item.error_message, "no answer");
  EXPECT_EQ(item.item, "q-1") << "without metadata the request is its own question";
}

TEST(ReportItem, CountsRefusalsAndCutAnswersApartWithoutAnEvaluationToo) {
  for (const auto& [reason, outcome] :
       {std::pair("refusal", ItemOutcome::kRefusal), std::pair("length", ItemOutcome::kTruncated),
        std::pair("content_filter", ItemOutcome::kRefusal)}) {
    const std::string answer =
        R"({"request_id":"q-1","status":"success","data":{"text":"x","finish_reason":")" +
        std::string(reason) + "\"}}";
    EXPECT_EQ(make_report_item(entry(RequestState::kSuccess), {kRequest, answer, std::nullopt}, "")
                  .outcome,
              outcome);
  }
}

TEST(ReportItem, HasTheEvaluationOfItsAnswer) {
  const ItemFiles files = {kRequest, kAnswer,
                           record(kAnswer, R"("outcome":"graded","score":0.5,"passed":true)")};
  const ReportItem item = make_report_item(entry(RequestState::kSuccess), files, "e");
  EXPECT_EQ(item.outcome, ItemOutcome::kGraded);
  ASSERT_TRUE(item.evaluation);
  EXPECT_EQ(item.evaluation->score, 0.5);
  const ReportItem other = make_report_item(entry(RequestState::kSuccess), files, "another");
  EXPECT_EQ(other.outcome, ItemOutcome::kAnswered);
}

TEST(ReportItem, LeavesOutTheEvaluationOfAnAnswerThatWasReplaced) {
  const ItemFiles files = {kRequest, kAnswer,
                           record("old", R"("outcome":"graded","score":1,"passed":true)")};
  const ReportItem item = make_report_item(entry(RequestState::kSuccess), files, "e");
  EXPECT_EQ(item.outcome, ItemOutcome::kAnswered);
  EXPECT_FALSE(item.evaluation);
  EXPECT_NE(item.evaluation_problem, "");
}

TEST(ReportItem, NeverScoresARequestThatWasGivenUp) {
  const ItemFiles files = {kRequest, kError,
                           record(kError, R"("outcome":"graded","score":1,"passed":true)")};
  EXPECT_EQ(make_report_item(entry(RequestState::kGaveUp), files, "e").outcome,
            ItemOutcome::kError);
}

TEST(ReportItem, SurvivesDamagedFiles) {
  const ReportItem item = make_report_item(entry(RequestState::kSuccess), {"{", "\xff", "[]"}, "e");
  EXPECT_EQ(item.outcome, ItemOutcome::kMissing) << "it ended well, and this is no answer";
  EXPECT_NE(item.error_message, "");
  const ReportItem pending =
      make_report_item(entry(RequestState::kPolling), {kRequest, kAnswer, std::nullopt}, "e");
  EXPECT_EQ(pending.outcome, ItemOutcome::kPending);
  EXPECT_EQ(pending.answer, "");
}

TEST(ItemText, ShowsWhatPeopleWouldRead) {
  EXPECT_EQ(prompt_text(Json::parse(R"({"prompt":"p"})")), "p");
  EXPECT_EQ(prompt_text(Json::parse(R"({"prompt":"p","system":"s"})")), "[system]\ns\n\n[user]\np");
  EXPECT_EQ(prompt_text(
                Json::parse(R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},)"
                            R"({"type":"image_url","image_url":{"url":"x"}}]}]})")),
            "a\n[image_url]");
  EXPECT_EQ(prompt_text(Json::parse(R"({"argv":["ls"]})")), R"({"argv":["ls"]})");
  EXPECT_EQ(answer_text(Json::parse(R"({"text":"","refusal":"no"})")), "no");
  EXPECT_EQ(answer_text(Json::parse(R"({"text":"","tool_calls":[{"name":"f"}]})")),
            R"([{"name":"f"}])");
  EXPECT_EQ(answer_text(Json::parse(R"({"exit_code":0})")), R"({"exit_code":0})");
  EXPECT_EQ(answer_text(Json()), "");
}

}  // namespace
}  // namespace filecall::client
