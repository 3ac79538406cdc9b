// SPDX-License-Identifier: MIT
// Every line of the taxonomy: what a provider says, and what follows from it.
#include "worker/exec/llm/error_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace filecall::worker::llm {
namespace {

const WallTime kNow = WallTime(seconds(1'800'000'000));

struct Case {
  int status;
  std::string body;
  std::string error_class;
  ErrorCode code;
  bool retryable;
  BreakerScope breaker = BreakerScope::kNone;
};

std::string openai(const std::string& type, const std::string& code,
                   const std::string& text = "m") {
  return dump_json(
      {{"error", {{"message", text}, {"type", type}, {"param", nullptr}, {"code", code}}}});
}
std::string anthropic(const std::string& type, const std::string& text = "m") {
  return dump_json(
      {{"type", "error"}, {"error", {{"type", type}, {"message", text}}}, {"request_id", "req_1"}});
}

Verdict judge_body(int status, const std::string& body, const HttpHeaders& headers = {}) {
  return judge(wire_error_of_body(body, status), headers, kNow);
}

void expect_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Verdict verdict = judge_body(c.status, c.body);
    EXPECT_EQ(to_string(verdict.error_class), c.error_class) << c.status << " " << c.body;
    EXPECT_EQ(to_string(verdict.code), to_string(c.code)) << c.status << " " << c.body;
    EXPECT_EQ(verdict.is_retryable, c.retryable) << c.status << " " << c.body;
    EXPECT_EQ(verdict.breaker, c.breaker) << c.status << " " << c.body;
    const bool may_be_done = c.status == 408 || c.status == 504;
    EXPECT_EQ(verdict.is_ambiguous, may_be_done) << c.status << " " << c.body;
  }
}

constexpr auto kKey = BreakerScope::kKey;
constexpr auto kModel = BreakerScope::kModel;

TEST(ErrorTable, OpensTheBreakerInsteadOfSleepingADay) {
  Verdict verdict = verdict_of(ErrorClass::kRateLimited);
  verdict.retry_after = seconds(600);
  bound_wait(verdict, seconds(600));
  EXPECT_EQ(verdict.breaker, BreakerScope::kNone);
  EXPECT_TRUE(verdict.is_retryable);
  verdict.retry_after = seconds(86'400);
  bound_wait(verdict, seconds(600));
  EXPECT_EQ(verdict.breaker, BreakerScope::kKey);
  EXPECT_FALSE(verdict.is_retryable);
  EXPECT_EQ(verdict.retry_after, std::nullopt);
}

TEST(ErrorTable, TellsRateLimitsFromQuotas) {
  const auto code = ErrorCode::kResourceExhausted;
  expect_all({
      {429, openai("requests", "rate_limit_exceeded"), "rate_limited", code, true},
      {429, openai("rate_limit_error", "slow_down"), "rate_limited", code, true},
      {429, openai("tokens", ""), "rate_limited", code, true},
      {429, anthropic("rate_limit_error"), "rate_limited", code, true},
      {429, "Too Many Requests", "rate_limited", code, true},
      {429, "", "rate_limited", code, true},
      {429, openai("insufficient_quota", "insufficient_quota"), "quota", code, false, kKey},
      {429, openai("insufficient_quota", "credit_balance_exhausted"), "quota", code, false, kKey},
      {429, openai("insufficient_quota", "organization_spend_limit_exceeded"), "quota", code, false,
       kKey},
      {429, openai("insufficient_quota", "project_spend_limit_exceeded"), "quota", code, false,
       kKey},
      {429, openai("insufficient_quota", "organization_usage_limit_exceeded"), "quota", code, false,
       kKey},
      {429,
       R"({"type":"error","error":{"type":"rate_limit_error","message":"m",
           "details":{"error_code":"enforced_spend_limit_reached"}}})",
       "quota", code, false, kKey},
      {402, anthropic("billing_error"), "quota", code, false, kKey},
      {402, "", "quota", code, false, kKey},
      {400, anthropic("invalid_request_error", "Your credit balance is too low to access the API"),
       "quota", code, false, kKey},
      {400, anthropic("invalid_request_error", "You have reached your specified API usage limits."),
       "quota", code, false, kKey},
  });
}

TEST(ErrorTable, TellsOverloadFromColdStartFromFaults) {
  const auto code = ErrorCode::kUnavailable;
  expect_all({
      {503, openai("server_error", "server_is_overloaded"), "overloaded", code, true},
      {529, anthropic("overloaded_error"), "overloaded", code, true},
      {503, R"({"error":{"message":"server busy, please try again.  maximum pending requests
          exceeded","type":"api_error","code":null}})",
       "overloaded", code, true},
      {503, "", "overloaded", code, true},
      {503, R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})",
       "cold_start", code, true},
      {500, openai("server_error", ""), "server", code, true},
      {500, anthropic("api_error"), "server", code, true},
      {502, "<html>Bad Gateway</html>", "server", code, true},
      {504, anthropic("timeout_error"), "server", code, true},
      {504, "", "server", code, true},
      {520, "", "server", code, true},
      {408, "", "server", code, true},
      {409, "", "server", code, true},
      {400, anthropic("invalid_request_error", "Unexpected end of request body"), "server", code,
       true},
  });
}

TEST(ErrorTable, NeverRetriesWhatTheRequestItselfCauses) {
  const auto invalid = ErrorCode::kInvalidArgument;
  expect_all({
      {400, openai("invalid_request_error", ""), "invalid", invalid, false},
      {400, R"({"object":"error","message":"m","type":"BadRequestError","code":400})", "invalid",
       invalid, false},
      {413, anthropic("request_too_large"), "invalid", invalid, false},
      {422, R"({"detail":[{"msg":"field required"}]})", "invalid", invalid, false},
      {501, R"({"error":{"code":501,"message":"m","type":"not_supported_error"}})", "server",
       ErrorCode::kUnavailable, true},
      {400, openai("invalid_request_error", "context_length_exceeded"), "context_overflow",
       ErrorCode::kOutOfRange, false},
      {400, R"({"error":{"code":400,"message":"m","type":"exceed_context_size_error"}})",
       "context_overflow", ErrorCode::kOutOfRange, false},
      {400, anthropic("invalid_request_error", "prompt is too long: 250000 tokens > 200000"),
       "context_overflow", ErrorCode::kOutOfRange, false},
      {400,
       anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit"),
       "context_overflow", ErrorCode::kOutOfRange, false},
      {400,
       R"({"error":{"message":"This model's maximum context length is 4096 tokens",
           "type":"BadRequestError","code":400}})",
       "context_overflow", ErrorCode::kOutOfRange, false},
      {400, openai("invalid_request_error", "content_policy_violation"), "filtered",
       ErrorCode::kFailedPrecondition, false},
      {400, openai("", "content_filter"), "filtered", ErrorCode::kFailedPrecondition, false},
      {400, openai("invalid_request_error", "invalid_prompt"), "filtered",
       ErrorCode::kFailedPrecondition, false},
      {400, openai("invalid_request_error", "cyber_policy"), "filtered",
       ErrorCode::kFailedPrecondition, false},
      {302, "", "configuration", ErrorCode::kFailedPrecondition, false},
  });
}

TEST(ErrorTable, OpensABreakerForWhatWouldFailEveryTime) {
  expect_all({
      {401, openai("invalid_request_error", "invalid_api_key"), "authentication",
       ErrorCode::kUnauthenticated, false, kKey},
      {401, anthropic("authentication_error"), "authentication", ErrorCode::kUnauthenticated, false,
       kKey},
      {401, "", "authentication", ErrorCode::kUnauthenticated, false, kKey},
      {403, anthropic("permission_error"), "permission", ErrorCode::kPermissionDenied, false,
       kModel},
      {403, "", "permission", ErrorCode::kPermissionDenied, false, kModel},
      {404, openai("invalid_request_error", "model_not_found"), "not_found", ErrorCode::kNotFound,
       false, kModel},
      {404, anthropic("not_found_error"), "not_found", ErrorCode::kNotFound, false, kModel},
      {404, R"({"error":"model 'x' not found"})", "not_found", ErrorCode::kNotFound, false, kModel},
  });
}

TEST(ErrorTable, ReadsErrorsInsideAGoodAnswerByWhatTheySay) {
  expect_all({
      {200, anthropic("overloaded_error"), "overloaded", ErrorCode::kUnavailable, true},
      {200, anthropic("rate_limit_error"), "rate_limited", ErrorCode::kResourceExhausted, true},
      {200, anthropic("api_error"), "server", ErrorCode::kUnavailable, true},
      {200, anthropic("timeout_error"), "server", ErrorCode::kUnavailable, true},
      {200, anthropic("invalid_request_error"), "invalid", ErrorCode::kInvalidArgument, false},
      {200, anthropic("authentication_error"), "authentication", ErrorCode::kUnauthenticated, false,
       kKey},
      {200, anthropic("billing_error"), "quota", ErrorCode::kResourceExhausted, false, kKey},
      {200, anthropic("permission_error"), "permission", ErrorCode::kPermissionDenied, false,
       kModel},
      {200, anthropic("not_found_error"), "not_found", ErrorCode::kNotFound, false, kModel},
      {200, openai("", "server_error"), "server", ErrorCode::kUnavailable, true},
      {200, openai("", "rate_limit_exceeded"), "rate_limited", ErrorCode::kResourceExhausted, true},
      {200, openai("", "invalid_image_format"), "invalid", ErrorCode::kInvalidArgument, false},
      {200, openai("", "image_too_large"), "invalid", ErrorCode::kInvalidArgument, false},
      {200, R"({"error":{"message":"m","type":"InternalServerError","code":500}})", "server",
       ErrorCode::kUnavailable, true},
      {200, R"({"error":"something broke"})", "stream_error", ErrorCode::kUnavailable, true},
      {200, openai("bad_response", ""), "bad_response", ErrorCode::kUnknown, true},
  });
}

TEST(ErrorTable, WaitsAsLongAsThePeerAsksAndNotLessThanTheClassDemands) {
  struct Wait {
    int status;
    std::vector<std::pair<const char*, const char*>> headers;
    std::optional<Duration> expected;
  };
  const std::vector<Wait> waits = {
      {429, {}, std::nullopt},
      {429, {{"retry-after", "7"}}, seconds(7)},
      {429, {{"retry-after-ms", "20"}, {"retry-after", "7"}}, milliseconds(20)},
      {429, {{"x-ratelimit-reset-tokens", "1m30s"}}, seconds(90)},
      {503, {}, seconds(1)},
      {503, {{"retry-after", "0"}}, seconds(1)},
      {503, {{"retry-after", "5"}}, seconds(5)},
      {503, {{"x-ratelimit-reset-tokens", "1m30s"}}, seconds(1)},
      {500, {}, std::nullopt},
      {500, {{"retry-after", "5"}}, seconds(5)},
      {400, {{"retry-after", "5"}}, std::nullopt},
  };
  for (const Wait& wait : waits) {
    HttpHeaders headers;
    for (const auto& [name, value] : wait.headers) headers.add(name, value);
    EXPECT_EQ(judge_body(wait.status, "", headers).retry_after, wait.expected) << wait.status;
  }
}

TEST(ErrorTable, TellsAPauseAndAnAbsenceFromAFailure) {
  struct Row {
    int status;
    const char* body;
    bool has_time;
    bool is_pause;
    Verdict::Absence absence;
  };
  using Absence = Verdict::Absence;
  const Row rows[] = {
      {429, "", false, true, Absence::kNone},
      {429, "", true, true, Absence::kNone},
      {429, R"({"error":{"code":"insufficient_quota"}})", true, false, Absence::kNone},
      {503, "", false, false, Absence::kGateway},
      {503, "", true, true, Absence::kGateway},
      {503, R"({"error":{"message":"Loading model"}})", false, true, Absence::kNone},
      {529, "", true, true, Absence::kNone},
      {529, "", false, false, Absence::kNone},
      {502, "", false, false, Absence::kGateway},
      {504, "", false, false, Absence::kGateway},
      {500, "", false, false, Absence::kNone},
      {400, "", true, false, Absence::kNone},
  };
  for (const Row& row : rows) {
    HttpHeaders headers;
    if (row.has_time) headers.add("retry-after", "5");
    const Verdict verdict = judge_body(row.status, row.body, headers);
    EXPECT_EQ(verdict.is_pause, row.is_pause) << row.status << row.body;
    EXPECT_EQ(verdict.absence, row.absence) << row.status << row.body;
  }
  for (const HttpEnd end : {HttpEnd::kResolve, HttpEnd::kConnect, HttpEnd::kRefused,
                            HttpEnd::kProxy, HttpEnd::kTimeoutConnect}) {
    EXPECT_EQ(judge(end, false, false).absence, Absence::kCertain) << to_string(end);
  }
  EXPECT_EQ(judge(HttpEnd::kReset, true, false).absence, Absence::kNone);
}

TEST(ErrorTable, LetsTheServerOverrideWhetherItsFaultIsWorthARetry) {
  HttpHeaders yes, no;
  yes.add("x-should-retry", "true");
  no.add("x-should-retry", "false");
  EXPECT_FALSE(judge_body(500, "", no).is_retryable);
  EXPECT_TRUE(judge_body(400, "", yes).is_retryable);
  EXPECT_FALSE(judge_body(401, "", yes).is_retryable);
  EXPECT_FALSE(judge_body(429, openai("", "insufficient_quota"), yes).is_retryable);
}

TEST(ErrorTable, KnowsWhichBrokenTransportsMayHaveBeenBilled) {
  struct Transport {
    HttpEnd end;
    bool sent;
    bool begun;
    std::string error_class;
    ErrorCode code;
    bool retryable;
  };
  const auto unavailable = ErrorCode::kUnavailable, late = ErrorCode::kDeadlineExceeded;
  const std::vector<Transport> transports = {
      {HttpEnd::kResolve, false, false, "dns", unavailable, true},
      {HttpEnd::kConnect, false, false, "connect", unavailable, true},
      {HttpEnd::kRefused, false, false, "connect", unavailable, true},
      {HttpEnd::kProxy, false, false, "connect", unavailable, true},
      {HttpEnd::kTls, false, false, "tls", unavailable, true},
      {HttpEnd::kTimeoutConnect, false, false, "timeout_connect", late, true},
      {HttpEnd::kReset, true, false, "reset", unavailable, true},
      {HttpEnd::kReset, true, true, "stream_truncated", unavailable, true},
      {HttpEnd::kTruncated, true, false, "reset", unavailable, true},
      {HttpEnd::kTruncated, true, true, "stream_truncated", unavailable, true},
      {HttpEnd::kTimeoutFirstEvent, true, false, "timeout_first_event", late, true},
      {HttpEnd::kTimeoutIdle, true, true, "timeout_idle", late, true},
      {HttpEnd::kTimeoutTotal, true, true, "timeout_total", late, true},
      {HttpEnd::kBadResponse, true, false, "bad_response", ErrorCode::kUnknown, true},
      {HttpEnd::kTooLarge, true, false, "too_large", ErrorCode::kResourceExhausted, false},
      {HttpEnd::kBadUrl, false, false, "configuration", ErrorCode::kFailedPrecondition, false},
  };
  for (const Transport& t : transports) {
    const Verdict verdict = judge(t.end, t.sent, t.begun);
    EXPECT_EQ(to_string(verdict.error_class), t.error_class) << to_string(t.end);
    EXPECT_EQ(to_string(verdict.code), to_string(t.code)) << to_string(t.end);
    EXPECT_EQ(verdict.is_retryable, t.retryable) << to_string(t.end);
    EXPECT_EQ(verdict.is_ambiguous, t.sent) << to_string(t.end);
    EXPECT_EQ(verdict.breaker, BreakerScope::kNone) << to_string(t.end);
  }
}

TEST(ErrorTable, HasANameOfItsOwnForEveryClass) {
  std::set<std::string_view> names;
  for (int i = 0; i < kErrorClassCount; ++i) names.insert(to_string(static_cast<ErrorClass>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kErrorClassCount));
}

TEST(Fingerprint, IsEqualForEqualFailuresOnly) {
  const WireError a = wire_error_of_body(openai("t", "c", "m"), 500);
  EXPECT_EQ(fingerprint(a), fingerprint(wire_error_of_body(openai("t", "c", "m"), 500)));
  EXPECT_NE(fingerprint(a), fingerprint(wire_error_of_body(openai("t", "c", "n"), 500)));
  EXPECT_NE(fingerprint(a), fingerprint(wire_error_of_body(openai("t", "c", "m"), 502)));
}

TEST(WireError, ReadsEveryEnvelope) {
  struct Envelope {
    std::string body;
    std::string message, type, code;
  };
  const std::vector<Envelope> envelopes = {
      {openai("t", "c", "m"), "m", "t", "c"},
      {anthropic("t", "m"), "m", "t", ""},
      {R"({"error":{"code":503,"message":"m","type":"t"}})", "m", "t", "503"},
      {R"({"object":"error","message":"m","type":"t","code":40001})", "m", "t", "40001"},
      {R"({"error":"m"})", "m", "", ""},
      {R"({"detail":"m"})", "m", "", ""},
      {R"({"message":"m","code":"c"})", "m", "", "c"},
      {"plain text", "plain text", "", ""},
      {"{\"half\":", "{\"half\":", "", ""},
      {"[1]", "[1]", "", ""},
  };
  for (const Envelope& e : envelopes) {
    const WireError error = wire_error_of_body(e.body, 500);
    EXPECT_EQ(error.message, e.message) << e.body;
    EXPECT_EQ(error.type, e.type) << e.body;
    EXPECT_EQ(error.code, e.code) << e.body;
  }
}

TEST(WireError, SeesNoneInAGoodAnswer) {
  for (const char* body : {R"({"error":null})", R"({"error":{}})", R"({"error":""})",
                           R"({"message":"hi","detail":"x"})", "[]", "{}"}) {
    EXPECT_EQ(find_wire_error(Json::parse(body), 200), std::nullopt) << body;
  }
}

}  // namespace
}  // namespace filecall::worker::llm
