// SPDX-License-Identifier: MIT
#include "worker/net/retry_after.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace filecall::worker {
namespace {

// 1994-11-06T08:49:37Z
const WallTime kNow = WallTime(seconds(784'111'777));

std::string text_of(const std::optional<Duration>& wait) {
  return wait ? std::to_string(to_ms(*wait)) : "none";
}

TEST(ParseWait, ReadsDurationsAsProvidersWriteThem) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"12ms", "12"},     {"1s", "1000"},        {"6m0s", "360000"},
      {"1m30s", "90000"}, {"1h2m3s", "3723000"}, {"1.5s", "1500"},
      {"0", "0"},         {"7", "7000"},         {"0.25", "250"},
      {"2d", "86400000"}, {"", "none"},          {"soon", "none"},
      {"-5", "none"},     {"5x", "none"},        {"1m30", "none"},
      {"ms", "none"},     {"1e99", "none"},      {"99999999999s", "86400000"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(text_of(parse_wait(text)), expected) << text;
}

TEST(ParseHttpDate, ReadsTheOneFormThatMayBeSent) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), kNow);
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 CET"), std::nullopt);
  EXPECT_EQ(parse_http_date("Sun, 31 Feb 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date("Sun, 06 ovD 1994 08:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 -8:49:37 GMT"), std::nullopt);
  EXPECT_EQ(parse_http_date(""), std::nullopt);
}

TEST(RetryDelay, TakesTheMostExactThatIsThere) {
  struct Case {
    std::vector<std::pair<const char*, const char*>> headers;
    std::string expected_ms;
  };
  const std::vector<Case> cases = {
      {{}, "none"},
      {{{"Retry-After", "3"}}, "3000"},
      {{{"retry-after", "0"}}, "0"},
      {{{"retry-after", "1.5"}}, "1500"},
      {{{"retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"}}, "10000"},
      {{{"retry-after", "Sun, 06 Nov 1994 08:49:07 GMT"}}, "0"},
      {{{"retry-after", "1994-11-06T08:49:42Z"}}, "5000"},
      {{{"retry-after", "tomorrow"}}, "none"},
      {{{"retry-after", "9"}, {"retry-after-ms", "250"}}, "250"},
      {{{"retry-after-ms", "rubbish"}, {"retry-after", "9"}}, "9000"},
      {{{"retry-after", "rubbish"}, {"x-ratelimit-reset-requests", "1s"}}, "1000"},
      {{{"x-ratelimit-reset-requests", "1s"}, {"x-ratelimit-reset-tokens", "6m0s"}}, "360000"},
      {{{"x-ratelimit-reset-requests", "1s"},
        {"x-ratelimit-remaining-requests", "0"},
        {"x-ratelimit-reset-tokens", "6m0s"},
        {"x-ratelimit-remaining-tokens", "90"}},
       "1000"},
      {{{"anthropic-ratelimit-tokens-reset", "1994-11-06T08:49:39Z"},
        {"anthropic-ratelimit-requests-reset", "1994-11-06T08:50:37Z"},
        {"anthropic-ratelimit-tokens-remaining", "0"},
        {"anthropic-ratelimit-requests-remaining", "40"}},
       "2000"},
      {{{"anthropic-ratelimit-tokens-reset", "1994-11-06T08:49:07Z"}}, "0"},
      {{{"x-ratelimit-reset", "2s"}, {"retry-after", "1"}}, "1000"},
  };
  for (const Case& c : cases) {
    HttpHeaders headers;
    for (const auto& [name, value] : c.headers) headers.add(name, value);
    EXPECT_EQ(text_of(retry_delay(headers, kNow)), c.expected_ms);
  }
}

TEST(RetryDelay, ReadsUnixTimesOfOurDays) {
  const WallTime now = WallTime(seconds(1'800'000'000));
  HttpHeaders in_seconds, in_ms;
  in_seconds.add("x-ratelimit-reset", "1800000004");
  in_ms.add("x-ratelimit-reset", "1800000004500");
  EXPECT_EQ(text_of(retry_delay(in_seconds, now)), "4000");
  EXPECT_EQ(text_of(retry_delay(in_ms, now)), "4500");
}

TEST(HttpHeaders, FindsNamesInLowerCaseAndTrimsValues) {
  HttpHeaders headers;
  headers.add("Content-Type", "  text/event-stream \r\n");
  headers.add("content-type", "second");
  EXPECT_EQ(headers.find("content-type"), "text/event-stream");
  EXPECT_EQ(headers.find("x-none"), std::nullopt);
}

}  // namespace
}  // namespace filecall::worker
