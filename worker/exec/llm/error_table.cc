// SPDX-License-Identifier: MIT
#include "worker/exec/llm/error_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "base/hash.h"
#include "worker/net/retry_after.h"

namespace filecall::worker::llm {
namespace {

using enum ErrorClass;

struct Row {
  ErrorClass error_class;
  std::string_view name;
  ErrorCode code;
  bool retryable;
  BreakerScope breaker;
  Duration floor;  ///< Least wait before the next attempt; zero: none.
};

constexpr auto kNone = BreakerScope::kNone;

// In the order of ErrorClass.
constexpr std::array<Row, kErrorClassCount> kRows = {{
    {kRateLimited, "rate_limited", ErrorCode::kResourceExhausted, true, kNone, {}},
    {kOverloaded, "overloaded", ErrorCode::kUnavailable, true, kNone, seconds(1)},
    {kColdStart, "cold_start", ErrorCode::kUnavailable, true, kNone, seconds(2)},
    {kQuota, "quota", ErrorCode::kResourceExhausted, false, BreakerScope::kKey, {}},
    {kAuthentication, "authentication", ErrorCode::kUnauthenticated, false, BreakerScope::kKey, {}},
    {kPermission, "permission", ErrorCode::kPermissionDenied, false, BreakerScope::kModel, {}},
    {kNotFound, "not_found", ErrorCode::kNotFound, false, BreakerScope::kModel, {}},
    {kInvalid, "invalid", ErrorCode::kInvalidArgument, false, kNone, {}},
    {kContextOverflow, "context_overflow", ErrorCode::kOutOfRange, false, kNone, {}},
    {kFiltered, "filtered", ErrorCode::kFailedPrecondition, false, kNone, {}},
    {kSchemaInvalid, "schema_invalid", ErrorCode::kUnknown, true, kNone, {}},
    {kConfiguration, "configuration", ErrorCode::kFailedPrecondition, false, kNone, {}},
    {kResolve, "dns", ErrorCode::kUnavailable, true, kNone, {}},
    {kConnect, "connect", ErrorCode::kUnavailable, true, kNone, {}},
    {kTls, "tls", ErrorCode::kUnavailable, true, kNone, {}},
    {kTimeoutConnect, "timeout_connect", ErrorCode::kDeadlineExceeded, true, kNone, {}},
    {kTimeoutFirstEvent, "timeout_first_event", ErrorCode::kDeadlineExceeded, true, kNone, {}},
    {kTimeoutIdle, "timeout_idle", ErrorCode::kDeadlineExceeded, true, kNone, {}},
    {kTimeoutTotal, "timeout_total", ErrorCode::kDeadlineExceeded, true, kNone, {}},
    {kReset, "reset", ErrorCode::kUnavailable, true, kNone, {}},
    {kStreamError, "stream_error", ErrorCode::kUnavailable, true, kNone, {}},
    {kStreamTruncated, "stream_truncated", ErrorCode::kUnavailable, true, kNone, {}},
    {kServer, "server", ErrorCode::kUnavailable, true, kNone, {}},
    {kBadResponse, "bad_response", ErrorCode::kUnknown, true, kNone, {}},
    {kTooLarge, "too_large", ErrorCode::kResourceExhausted, false, kNone, {}},
}};

const Row& row_of(ErrorClass error_class) {
  const Row& row = kRows[static_cast<std::size_t>(error_class)];
  CHECK(row.error_class == error_class, "the rows stand in the order of the classes");
  return row;
}

struct Word {
  std::string_view text;
  ErrorClass error_class;
};

/// Codes and types, compared whole.
constexpr std::array<Word, 33> kWords = {{
    {"insufficient_quota", kQuota},
    {"credit_balance_exhausted", kQuota},
    {"organization_spend_limit_exceeded", kQuota},
    {"project_spend_limit_exceeded", kQuota},
    {"organization_usage_limit_exceeded", kQuota},
    {"billing_hard_limit_reached", kQuota},
    {"enforced_spend_limit_reached", kQuota},
    {"billing_error", kQuota},
    {"rate_limit_exceeded", kRateLimited},
    {"rate_limit_error", kRateLimited},
    {"slow_down", kRateLimited},
    {"overloaded_error", kOverloaded},
    {"server_is_overloaded", kOverloaded},
    {"engine_overloaded", kOverloaded},
    {"context_length_exceeded", kContextOverflow},
    {"exceed_context_size_error", kContextOverflow},
    {"model_context_window_exceeded", kContextOverflow},
    {"content_filter", kFiltered},
    {"content_policy_violation", kFiltered},
    {"invalid_prompt", kFiltered},
    {"cyber_policy", kFiltered},
    {"authentication_error", kAuthentication},
    {"invalid_api_key", kAuthentication},
    {"permission_error", kPermission},
    {"not_found_error", kNotFound},
    {"model_not_found", kNotFound},
    {"request_too_large", kInvalid},
    {"invalid_request_error", kInvalid},
    {"not_supported_error", kInvalid},
    {"api_error", kServer},
    {"bad_response", kBadResponse},
    {"server_error", kServer},
    {"timeout_error", kServer},
}};

/// Sentences, found anywhere in a message of a refused request, in lower case.
constexpr std::array<Word, 11> kSentences = {{
    {"prompt is too long", kContextOverflow},
    {"input is too long", kContextOverflow},
    {"exceed context limit", kContextOverflow},
    {"maximum context length", kContextOverflow},
    {"credit balance is too low", kQuota},
    {"reached your specified api usage limits", kQuota},
    {"unexpected end of", kServer},  // A body that was cut on its way: the same one may arrive.
    {"unexpected eof", kServer},
    {"loading model", kColdStart},
    {"model is loading", kColdStart},
    {"server busy", kOverloaded},
}};

ErrorClass class_of_status(int status) {
  switch (status) {
    case 401:
      return kAuthentication;
    case 402:
      return kQuota;
    case 403:
      return kPermission;
    case 404:
      return kNotFound;
    case 408:
    case 409:
      return kServer;
    case 429:
      return kRateLimited;
    case 503:
    case 529:
      return kOverloaded;
    default:
      break;
  }
  if (status >= 500) return kServer;
  if (status >= 400) return kInvalid;
  if (status >= 300) return kConfiguration;  // A redirect: the URL is not the API's.
  return kStreamError;
}

std::optional<ErrorClass> class_of_word(std::string_view word) {
  const auto found = std::find_if(kWords.begin(), kWords.end(),
                                  [&](const Word& candidate) { return candidate.text == word; });
  return found == kWords.end() ? std::nullopt : std::optional(found->error_class);
}

std::optional<ErrorClass> class_of_sentence(const WireError& error) {
  std::string lower = error.message;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const auto& [text, error_class] : kSentences) {
    if (lower.find(text) != std::string::npos) return error_class;
  }
  return std::nullopt;
}

/// HTTP's, or what an error inside a good answer gives as its code (vLLM: 500).
int status_of(const WireError& error) {
  int code = 0;
  const char* end = error.code.data() + error.code.size();
  const auto [rest, status] = std::from_chars(error.code.data(), end, code);
  const bool is_status = status == std::errc() && rest == end && code >= 400 && code < 600;
  return error.status < 400 && is_status ? code : error.status;
}

/// The most exact word wins: the details', the code, then the type; a general type gives way to a
/// sentence and to the status.
ErrorClass class_of(const WireError& error) {
  for (const std::string* word : {&error.detail_code, &error.code}) {
    if (const auto found = class_of_word(*word)) return *found;
  }
  const auto of_type = class_of_word(error.type);
  const bool is_general = !of_type || *of_type == kInvalid || *of_type == kServer;
  if (!is_general) return *of_type;
  const int status = status_of(error);
  if (status != 429) {
    if (const auto found = class_of_sentence(error)) return *found;
  }
  // Responses API, inside a good answer: "invalid_image_format", "image_too_large", ...
  if (error.code.starts_with("invalid_") || error.code.starts_with("image_")) return kInvalid;
  const ErrorClass of_status = class_of_status(status);
  // "invalid_request_error" goes with 401 and 404 too: there the status says more.
  return of_type && of_status == kStreamError ? *of_type : of_status;
}

/// A request that was sent whole needs no waiting for (RFC 9110, 15.5.9): providers say 408 of an
/// answer that took too long, as gateways say 504. What is behind them may have made the answer,
/// and billed it.
bool may_have_been_done(int status) { return status == 408 || status == 504; }

}  // namespace

std::string_view to_string(ErrorClass error_class) { return row_of(error_class).name; }

Verdict verdict_of(ErrorClass error_class) {
  const Row& row = row_of(error_class);
  Verdict verdict;
  verdict.error_class = error_class;
  verdict.code = row.code;
  verdict.is_retryable = row.retryable;
  verdict.breaker = row.breaker;
  if (row.floor > Duration::zero()) verdict.retry_after = row.floor;
  return verdict;
}

Verdict judge(const WireError& error, const HttpHeaders& headers, WallTime now) {
  Verdict verdict = verdict_of(class_of(error));
  if (verdict.is_retryable) {
    // Resets of rate limits are sent with every answer; they are waits only after a 429.
    const auto asked = verdict.error_class == kRateLimited ? retry_delay(headers, now)
                                                           : explicit_delay(headers, now);
    if (asked) verdict.retry_after = std::max(asked, verdict.retry_after);
    verdict.is_pause =
        asked || verdict.error_class == kRateLimited || verdict.error_class == kColdStart;
    const int status = error.status;
    const bool is_away = verdict.error_class == kServer || verdict.error_class == kOverloaded;
    if (is_away && status >= 502 && status <= 504) verdict.absence = Verdict::Absence::kGateway;
  }
  verdict.is_ambiguous = may_have_been_done(error.status);
  const bool is_transient = verdict.error_class == kServer || verdict.error_class == kInvalid;
  if (const auto said = headers.find("x-should-retry"); said && is_transient) {
    verdict.is_retryable = *said == "true";
  }
  return verdict;
}

void bound_wait(Verdict& verdict, Duration longest) {
  if (!verdict.retry_after || *verdict.retry_after <= longest) return;
  verdict.retry_after.reset();
  verdict.is_retryable = false;
  verdict.is_pause = false;
  verdict.breaker = BreakerScope::kKey;
}

Verdict judge(HttpEnd end, bool was_sent, bool has_stream_begun) {
  const auto of_class = [&](ErrorClass error_class) {
    Verdict verdict = verdict_of(error_class);
    verdict.is_ambiguous = was_sent;
    return verdict;
  };
  const auto of_absent = [&](ErrorClass error_class) {
    Verdict verdict = of_class(error_class);
    verdict.absence = Verdict::Absence::kCertain;
    return verdict;
  };
  switch (end) {
    case HttpEnd::kBadUrl:
      return of_class(kConfiguration);
    case HttpEnd::kResolve:
      return of_absent(kResolve);
    case HttpEnd::kConnect:
    case HttpEnd::kRefused:
    case HttpEnd::kProxy:
      return of_absent(kConnect);
    case HttpEnd::kTls:
      return of_class(kTls);
    case HttpEnd::kTruncated:
    case HttpEnd::kReset:
      return of_class(has_stream_begun ? kStreamTruncated : kReset);
    case HttpEnd::kTooLarge:
      return of_class(kTooLarge);
    case HttpEnd::kTimeoutConnect:
      return of_absent(kTimeoutConnect);
    case HttpEnd::kTimeoutFirstEvent:
      return of_class(kTimeoutFirstEvent);
    case HttpEnd::kTimeoutIdle:
      return of_class(kTimeoutIdle);
    case HttpEnd::kTimeoutTotal:
      return of_class(kTimeoutTotal);
    case HttpEnd::kBadResponse:
    case HttpEnd::kComplete:
    case HttpEnd::kStopped:
      break;
  }
  return of_class(kBadResponse);
}

std::string fingerprint(const WireError& error) {
  return hash128(fmt::format("{}\n{}\n{}\n{}", error.status, error.type, error.code, error.message))
      .hex()
      .substr(0, 16);
}

}  // namespace filecall::worker::llm
