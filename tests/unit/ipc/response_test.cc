// SPDX-License-Identifier: MIT
#include "ipc/response.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

WallTime at(const char* text) { return *parse_rfc3339(text); }

ResponseTiming timing() {
  return {.received_at = at("2026-11-20T22:31:27.104Z"),
          .started_at = at("2026-11-20T22:31:27.105Z"),
          .finished_at = at("2026-11-20T22:31:28.2Z"),
          .queued_ms = 1,
          .run_ms = 1095};
}

TEST(Response, RendersASuccessInTheSeedsShape) {
  EXPECT_EQ(render_response({.request_id = "r-1", .data = {{"a", 1}}}),
            "{\"request_id\":\"r-1\",\"status\":\"success\",\"data\":{\"a\":1}}\n");
}

TEST(Response, RendersAnErrorWithCodeAndWhetherToTryAgain) {
  Response response{.request_id = "r-1"};
  response.failure = Failure{.code = ErrorCode::kUnavailable, .message = "a \"host\" is down"};
  EXPECT_EQ(render_response(response),
            "{\"request_id\":\"r-1\",\"status\":\"error\",\"error_message\":\"a \\\"host\\\" is "
            "down\",\"error_code\":\"unavailable\",\"retryable\":true}\n");
  response.failure->retryable = false;
  EXPECT_NE(render_response(response).find("\"retryable\":false"), std::string::npos);
}

TEST(Response, RendersMembersInOneOrder) {
  Response response{.request_id = "r-1", .timing = timing(), .worker = "w", .metadata = {{"m", 1}}};
  response.failure = Failure{.code = ErrorCode::kResourceExhausted,
                             .message = "x",
                             .retry_after_ms = 2500,
                             .details = {{"http_status", 429}}};
  EXPECT_EQ(render_response(response),
            "{\"request_id\":\"r-1\",\"status\":\"error\",\"error_message\":\"x\",\"error_code\":"
            "\"resource_exhausted\",\"retryable\":true,\"retry_after_ms\":2500,\"error_details\":{"
            "\"http_status\":429},\"timing\":{\"received_at\":\"2026-11-20T22:31:27.104Z\","
            "\"started_at\":\"2026-11-20T22:31:27.105Z\",\"finished_at\":"
            "\"2026-11-20T22:31:28.200Z\",\"queued_ms\":1,\"run_ms\":1095},\"worker\":\"w\","
            "\"metadata\":{\"m\":1}}\n");
}

TEST(Response, SurvivesARoundTrip) {
  Response response{.request_id = "é", .timing = timing(), .worker = "w", .metadata = {{"m", 1}}};
  for (const bool is_success : {true, false}) {
    if (is_success) {
      response.data = {{"n", 2.0}, {"list", {1, nullptr, "\x01😀"}}};
    } else {
      response.failure = Failure{ErrorCode::kAborted, "m", true, 7, {{"d", 1}}};
    }
    response.user = is_success ? std::optional<std::uint32_t>(4294967295U) : std::nullopt;
    const auto again = parse_response(render_response(response), "é");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->user, response.user);
    EXPECT_EQ(render_response(*again), render_response(response));
    EXPECT_EQ(again->is_success(), is_success);
    response.data = Json();
  }
}

TEST(Response, EveryErrorCodeSurvivesARoundTrip) {
  for (int i = 0; i < kErrorCodeCount; ++i) {
    Response response{.request_id = "a"};
    response.failure = Failure{.code = static_cast<ErrorCode>(i), .message = "m"};
    const auto again = parse_response(render_response(response), "a");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->failure->code, response.failure->code);
    EXPECT_EQ(again->failure->is_retryable(), is_retryable(response.failure->code));
  }
}

TEST(Response, ReadsWhatTheSeedsServerWrites) {
  const auto success = parse_response(R"({"request_id":"a","status":"success","data":{}})", "a");
  ASSERT_TRUE(success);
  EXPECT_TRUE(success->is_success());
  EXPECT_FALSE(success->timing);
  const auto error =
      parse_response(R"({"request_id":"a","status":"error","error_message":"no"})", "a");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->failure->code, ErrorCode::kUnknown);
  EXPECT_EQ(error->failure->message, "no");
  EXPECT_TRUE(error->failure->is_retryable());
}

TEST(Response, AnErrorThatDoesNotSayCountsAsRetryableWhateverItsCode) {
  const auto error = parse_response(
      R"({"request_id":"a","status":"error","error_message":"","error_code":"not_found"})", "a");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->failure->code, ErrorCode::kNotFound);
  EXPECT_TRUE(error->failure->is_retryable());
}

TEST(Response, OddOptionalMembersNeverMakeAnAnswerUnreadable) {
  const auto error = parse_response(
      "\xef\xbb\xbf"
      R"({"request_id":"a","request_id":"a","status":"error","error_message":"m",
      "error_code":17,"retryable":"no","retry_after_ms":-5,"error_details":[],"timing":"soon",
      "worker":1,"metadata":"x","big":123456789012345678901234567890})",
      "a");
  ASSERT_TRUE(error) << error.error().message;
  EXPECT_EQ(error->failure->code, ErrorCode::kUnknown);
  EXPECT_TRUE(error->failure->is_retryable());
  EXPECT_FALSE(error->failure->retry_after_ms);
  EXPECT_TRUE(error->failure->details.is_null());
  EXPECT_FALSE(error->timing);
  EXPECT_TRUE(error->worker.empty());
  EXPECT_TRUE(error->metadata.is_null());
  const auto unknown = parse_response(
      R"({"request_id":"a","status":"error","error_message":"m","error_code":"new_code"})", "a");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->failure->code, ErrorCode::kUnknown);
}

TEST(Response, ReadsTimingThatIsThereInPart) {
  const auto response = parse_response(
      R"({"request_id":"a","status":"success","data":1,"timing":{"run_ms":7.9,"queued_ms":1e300,
      "started_at":"2026-11-20T22:31:27Z","finished_at":0}})",
      "a");
  ASSERT_TRUE(response && response->timing);
  EXPECT_EQ(response->timing->run_ms, 7);
  EXPECT_EQ(response->timing->queued_ms, 1'000'000'000'000'000);
  EXPECT_EQ(response->timing->started_at, at("2026-11-20T22:31:27Z"));
  EXPECT_EQ(response->timing->received_at, WallTime{});
}

TEST(Response, RefusesWhatIsNoAnswerToThisRequest) {
  struct Row {
    const char* text;
    const char* says;
  };
  for (const auto& [text, says] : {
           Row{"", "empty"},
           Row{"{", "line 1"},
           Row{"[]", "object"},
           Row{R"({"status":"success","data":1})", "/request_id"},
           Row{R"({"request_id":1,"status":"success","data":1})", "/request_id"},
           Row{R"({"request_id":"b","status":"success","data":1})", "another request"},
           Row{R"({"request_id":"a","data":1})", "/status"},
           Row{R"({"request_id":"a","status":"ok","data":1})", "/status"},
           Row{R"({"request_id":"a","status":true,"data":1})", "/status"},
           Row{R"({"request_id":"a","status":"success"})", "/data"},
           Row{R"({"request_id":"a","status":"error"})", "/error_message"},
           Row{R"({"request_id":"a","status":"error","error_message":{}})", "/error_message"},
       }) {
    const auto response = parse_response(text, "a");
    ASSERT_FALSE(response) << text;
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(response.error().message.find(says), std::string::npos) << response.error().message;
  }
}

TEST(Response, RefusesDepthThatWouldExhaustAStack) {
  std::string deep = R"({"request_id":"a","status":"success","data":)";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_FALSE(parse_response(deep, "a"));
}

}  // namespace
}  // namespace filecall
