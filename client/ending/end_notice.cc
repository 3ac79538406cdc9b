// SPDX-License-Identifier: MIT
#include "client/ending/end_notice.h"

#include <curl/curl.h>
#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/random.h"
#include "base/shared_library.h"
#include "os/process.h"

namespace filecall::client {
namespace {

constexpr Duration kConnectTimeout = seconds(10);
constexpr Duration kRetryAfterMax = seconds(60);

/// What is called of libcurl. Only this needs it in the client, and few runs notify anybody.
struct Curl {
  decltype(&::curl_easy_init) init = nullptr;
  decltype(&::curl_easy_cleanup) cleanup = nullptr;
  decltype(&::curl_easy_setopt) set = nullptr;
  decltype(&::curl_easy_perform) perform = nullptr;
  decltype(&::curl_easy_getinfo) get = nullptr;
  decltype(&::curl_easy_strerror) text_of = nullptr;
  decltype(&::curl_slist_append) append = nullptr;
  decltype(&::curl_slist_free_all) free_list = nullptr;
};

Result<Curl> load_curl() {
  TRY_ASSIGN(const SharedLibrary library, SharedLibrary::load("libcurl.so.4"));
  Curl curl;
  TRY(library.find("curl_easy_init", &curl.init));
  TRY(library.find("curl_easy_cleanup", &curl.cleanup));
  TRY(library.find("curl_easy_setopt", &curl.set));
  TRY(library.find("curl_easy_perform", &curl.perform));
  TRY(library.find("curl_easy_getinfo", &curl.get));
  TRY(library.find("curl_easy_strerror", &curl.text_of));
  TRY(library.find("curl_slist_append", &curl.append));
  TRY(library.find("curl_slist_free_all", &curl.free_list));
  return curl;
}

struct Attempt {
  std::string problem;  ///< Empty: it succeeded.
  bool is_retryable = false;
  std::optional<Duration> retry_after{};
};

/// The status is all that counts: a body that has no end is not waited for.
std::size_t stop_at_body(char*, std::size_t size, std::size_t count, void*) {
  return size * count == 0 ? 0 : CURL_WRITEFUNC_ERROR;
}

Attempt attempt_of(const Curl& curl, CURL* transfer, CURLcode code) {
  constexpr long kFirstFinal = 200;  // 100 only asks for the rest.
  long status = 0;
  curl.get(transfer, CURLINFO_RESPONSE_CODE, &status);
  // Who has answered has the notice, whatever becomes of the rest of the answer.
  if (status < kFirstFinal) return {curl.text_of(code), true};
  if (status >= 200 && status < 300) return {};
  Attempt attempt{fmt::format("HTTP {}", status), status == 408 || status == 429 || status >= 500};
  curl_off_t after = 0;
  if (curl.get(transfer, CURLINFO_RETRY_AFTER, &after) == CURLE_OK && after > 0) {
    attempt.retry_after = std::min<Duration>(seconds(after), kRetryAfterMax);
  }
  return attempt;
}

}  // namespace

std::string shown_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  const std::string_view name = url.substr(0, scheme);
  if (name != "http" && name != "https") return {};
  std::string_view host = url.substr(scheme + 3);
  const std::size_t end = host.find_first_of("/?#");
  const bool has_more = end != std::string_view::npos;
  host = host.substr(0, end);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  if (host.empty()) return {};
  return fmt::format("{}://{}{}", name, host, has_more ? "/..." : "");
}

Result<void> check_notices() {
  TRY(load_curl());
  return {};
}

Result<void> post_notice(const std::string& url, const std::string& body,
                         const NoticeOptions& options) {
  TRY_ASSIGN(const Curl curl, load_curl());
  const std::unique_ptr<CURL, void (*)(CURL*)> owned(curl.init(), curl.cleanup);
  if (!owned) return fail(ErrorCode::kResourceExhausted, "--notify: no memory");
  CURL* const transfer = owned.get();
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      curl.append(nullptr, "Content-Type: application/json"), curl.free_list);
  curl.set(transfer, CURLOPT_URL, url.c_str());
  curl.set(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.set(transfer, CURLOPT_HTTPHEADER, headers.get());
  curl.set(transfer, CURLOPT_USERAGENT, "filecall");
  curl.set(transfer, CURLOPT_POSTFIELDS, body.c_str());
  curl.set(transfer, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl.set(transfer, CURLOPT_WRITEFUNCTION, stop_at_body);
  curl.set(transfer, CURLOPT_NOSIGNAL, 1L);
  curl.set(transfer, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(to_ms(kConnectTimeout)));
  curl.set(transfer, CURLOPT_TIMEOUT_MS, static_cast<long>(to_ms(options.timeout)));
  Random random(random_seed());
  for (int number = 1;; ++number) {
    const Attempt attempt = attempt_of(curl, transfer, curl.perform(transfer));
    if (attempt.problem.empty()) return {};
    if (!attempt.is_retryable || number >= options.retry.attempts_max) {
      return fail(ErrorCode::kUnavailable,
                  fmt::format("--notify: {}: {} after {} attempt{}", shown_url(url),
                              attempt.problem, number, number == 1 ? "" : "s"));
    }
    const Duration wait = options.retry.backoff(number, attempt.retry_after, random);
    ::poll(nullptr, 0, static_cast<int>(to_ms(wait)));
  }
}

}  // namespace filecall::client
