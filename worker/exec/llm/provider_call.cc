// SPDX-License-Identifier: MIT
#include "worker/exec/llm/provider_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "ipc/json_text.h"
#include "os/clock.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

std::string header_text(const HttpHeaders& headers, std::string_view name) {
  const auto found = headers.find(name);
  return found ? std::string(*found) : "";
}

std::string words_of(HttpEnd end) {
  switch (end) {
    case HttpEnd::kTimeoutConnect:
      return "no connection in time";
    case HttpEnd::kTimeoutFirstEvent:
      return "no response began in time (timeouts.first_event)";
    case HttpEnd::kTimeoutIdle:
      return "the response fell silent (timeouts.idle)";
    case HttpEnd::kTimeoutTotal:
      return "the response was not complete in time (timeouts.total)";
    case HttpEnd::kTooLarge:
      return "the response is larger than response_bytes allows";
    default:
      return fmt::format("the connection failed ({})", to_string(end));
  }
}

}  // namespace

ProviderCall::ProviderCall(LlmService& service, Provider& provider, std::string model,
                           std::function<void(Outcome)> done)
    : service_(service), provider_(provider), done_(std::move(done)) {
  facts_.provider = provider.name();
  facts_.model = std::move(model);
}

ProviderCall::~ProviderCall() { *is_alive_ = false; }

void ProviderCall::start(std::function<Result<HttpRequest, Failure>(ProviderCall&)> make) {
  service_.with_address(provider_,
                        [this, alive = is_alive_, make = std::move(make)](const Failure* failure) {
                          if (!*alive || !done_) return;
                          if (failure != nullptr) return finish(*failure);
                          send(make);
                        });
}

void ProviderCall::send(const std::function<Result<HttpRequest, Failure>(ProviderCall&)>& make) {
  auto request = make(*this);
  if (!request) return finish(std::move(request).error());
  if (const std::string& problem = provider_.key_problem(); !problem.empty()) {
    return finish(fail(verdict_of(ErrorClass::kAuthentication), nullptr, problem));
  }
  if (const std::string& problem = provider_.script_problem(); !problem.empty()) {
    return finish(fail(verdict_of(ErrorClass::kConfiguration), nullptr, problem));
  }
  if (const auto why = provider_.refusal(facts_.model, monotonic_now())) {
    // Like the failure that opened it, but nothing was sent.
    Failure failure = fail(verdict_of(ErrorClass::kConfiguration), nullptr,
                           "not sent, because an earlier call failed for good: " + *why);
    failure.details["class"] = "breaker_open";
    return finish(std::move(failure));
  }
  const MonotonicTime now = monotonic_now();
  if (Outage& outage = provider_.outage(); !outage.allows(now)) {
    Failure failure =
        make_failure(verdict_of(ErrorClass::kConnect), facts_, nullptr,
                     "not sent, because the provider cannot be reached: " + outage.reason());
    failure.details["class"] = "outage";
    add_outage(failure, now);
    return finish(std::move(failure));
  }
  if (ScriptPlayer* script = provider_.script()) {
    transfer_ = script->start(service_.loop(), *request, *this);
  } else {
    transfer_ = service_.http().start(*std::move(request), *this);
  }
}

void ProviderCall::cancel() {
  if (!done_) return;
  // The code that cancelled looks at what is known, after `done`.
  if (partial_.is_null()) partial_ = Json::object();
  partial_["ambiguous"] = transfer_ != nullptr;
  transfer_.reset();
  Failure failure;
  failure.code = ErrorCode::kCancelled;
  failure.message = "cancelled";
  finish(std::move(failure));
}

void ProviderCall::on_head(int status, const HttpHeaders& headers) {
  facts_.status = status;
  const bool is_gateways = status >= 502 && status <= 504;
  if (!is_gateways) provider_.outage().note_answer();
  content_type_ = header_text(headers, "content-type");
  for (const char* name : {"x-request-id", "request-id", "apim-request-id"}) {
    if (facts_.request_id.empty()) facts_.request_id = header_text(headers, name);
  }
}

bool ProviderCall::on_body(std::string_view bytes) {
  body_ += bytes;
  transfer_->progress();
  return true;
}

void ProviderCall::on_done(const HttpResult& result) {
  const bool is_good =
      result.end == HttpEnd::kComplete && result.status >= 200 && result.status < 300;
  settle(is_good ? read(body_, result) : judge_end(result));
}

Answer ProviderCall::judge_end(const HttpResult& result) {
  // A bad status is known even when its body was cut.
  if (result.status >= 300) return fail(wire_error_of_body(body_, result.status), result.headers);
  Verdict verdict = judge(result.end, result.was_sent, false);
  // One call may be dropped for what it is. Several in a row, unanswered: a proxy that restarts.
  const bool is_dropped = result.end == HttpEnd::kReset && result.status == 0;
  if (is_dropped) verdict.absence = Verdict::Absence::kGateway;
  return fail(verdict, nullptr,
              result.message.empty() ? words_of(result.end)
                                     : fmt::format("{}: {}", words_of(result.end), result.message));
}

Failure ProviderCall::fail(const Verdict& verdict, const WireError* error,
                           const std::string& message) {
  const MonotonicTime now = monotonic_now();
  const std::string said = provider_.secrets().redact(message);
  provider_.note(verdict, facts_.model, said, now);
  Failure failure = make_failure(verdict, facts_, error, message);
  if (verdict.absence == Verdict::Absence::kNone) return failure;
  provider_.outage().note_failure(verdict.absence == Verdict::Absence::kCertain, said, now);
  add_outage(failure, now);
  return failure;
}

void ProviderCall::add_outage(Failure& failure, MonotonicTime now) const {
  const Outage& outage = provider_.outage();
  if (!outage.is_open()) return;
  const std::int64_t wait = to_ms(outage.wait(now));
  failure.details["outage_ms"] = to_ms(outage.age(now));
  failure.retry_after_ms = std::max(failure.retry_after_ms.value_or(0), wait);
}

Failure ProviderCall::fail(const WireError& error, const HttpHeaders& headers) {
  Verdict verdict = judge(error, headers, wall_now());
  std::string message = error.message.empty() ? "no reason was given" : error.message;
  if (error.status >= 300) message = fmt::format("HTTP {}: {}", error.status, message);
  const Duration longest = service_.config().max_retry_after;
  if (verdict.retry_after && *verdict.retry_after > longest) {
    message += fmt::format(" (asks to wait {} s; max_retry_after is {} s)",
                           to_ms(*verdict.retry_after) / 1000, to_ms(longest) / 1000);
  }
  bound_wait(verdict, longest);
  return fail(verdict, &error, message);
}

void ProviderCall::finish(Answer answer) {
  on_answer(answer);
  if (!answer) {
    redact(answer.error(), provider_.secrets());
  } else {
    redact(*answer, provider_.secrets());
  }
  const auto report = std::exchange(done_, nullptr);
  report(std::move(answer));
}

}  // namespace filecall::worker::llm
