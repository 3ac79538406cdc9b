// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/api_call.h"

#include <fmt/core.h>

#include <utility>

#include "base/version.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_path.h"
#include "worker/exec/kube/client/failed_exchange.h"

namespace filecall::worker::kube {
namespace {

/// An error is short; a proxy's page need not be read to its end.
constexpr std::size_t kErrorBytesMax = 1024 * 1024;
/// A cluster's objects are kilobytes: fewer turns of the loop than with a stream's small pieces.
constexpr std::size_t kReceiveBytes = 64 * 1024;
/// API servers keep idle connections for minutes; making one costs a TLS handshake.
constexpr std::chrono::seconds kKeepAlive{60};
/// A watch is bounded by its time; this much only ends one that would never end.
constexpr std::size_t kWatchBytesMax = std::size_t{4} * 1024 * 1024 * 1024;

}  // namespace

ApiCall::ApiCall(Line line, ApiRequest request, std::function<void(ApiAnswer)> done)
    : line_(std::move(line)), request_(std::move(request)), done_(std::move(done)) {}

ApiCall::~ApiCall() { *is_alive_ = false; }

void ApiCall::start() {
  line_.credentials.prepare([this, alive = is_alive_](const Error* error) {
    if (!*alive) return;
    if (error != nullptr) return fail_with(Failure::of(*error));
    send();
  });
}

void ApiCall::fail_with(Failure failure) {
  const ClusterAccess& access = line_.credentials.access();
  if (!failure.details.is_object()) failure.details = Json::object();
  failure.details["cluster"] = {{"context", access.context}, {"server", access.server}};
  std::exchange(done_, nullptr)(std::move(failure));  // May destroy this.
}

void ApiCall::send() {
  const ClusterAccess& access = line_.credentials.access();
  HttpRequest http;
  http.method = request_.method;
  http.url = access.server + request_.path;
  http.headers = {{"Accept", request_.accept},
                  {"User-Agent", fmt::format("filecall/{}", program_version())}};
  if (!request_.body.empty()) http.headers.emplace_back("Content-Type", request_.content_type);
  http.body = request_.body;
  http.proxy = access.cluster.proxy_url;
  http.is_proxy_fixed = !http.proxy.empty();
  http.may_use_http2 = true;
  http.accepts_gzip = !access.cluster.is_compression_disabled;
  http.timeouts = request_.timeouts;
  http.receive_bytes = kReceiveBytes;
  http.keep_alive = kKeepAlive;
  // A text is cut by on_body(), which must see what is too much.
  http.body_bytes_max = request_.body_bytes_max + (request_.is_text ? kReceiveBytes * 2 : 0);
  if (request_.on_event) http.body_bytes_max = kWatchBytesMax;
  if (const auto signed_ = line_.credentials.sign(http, secrets_); !signed_) {
    return fail_with(Failure::of(signed_.error()));
  }
  transfer_ = line_.http.start(std::move(http), *this);
}

void ApiCall::on_head(int status, const HttpHeaders&) { status_ = status; }

bool ApiCall::take_events(std::string_view bytes) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    body_ += bytes.substr(0, end);
    if (body_.size() > request_.body_bytes_max) return false;
    if (end == std::string_view::npos) return true;
    bytes.remove_prefix(end + 1);
    ApiReply event(status_, "application/json", std::exchange(body_, ""), request_.asked,
                   redactor());
    if (!request_.on_event(event)) {
      is_enough_ = true;
      return false;
    }
  }
}

bool ApiCall::on_body(std::string_view bytes) {
  if (request_.on_event && is_good_status(status_)) return take_events(bytes);
  const std::size_t room = request_.body_bytes_max - body_.size();
  is_cut_ = request_.is_text && bytes.size() > room;
  body_ += is_cut_ ? bytes.substr(0, room) : bytes;
  return !is_cut_;
}

void ApiCall::on_complete(int status) {
  if (is_good_status(status) && request_.answered) request_.answered();
}

Redactor ApiCall::redactor() const {
  Redactor redactor(line_.digest_key,
                    request_.reveal ? Redactor::Secrets::kRevealed : Redactor::Secrets::kHidden,
                    line_.redaction);
  if (!request_.body_object.is_null()) redactor.learn(request_.body_object, request_.asked);
  if (!request_.earlier_object.is_null()) redactor.learn(request_.earlier_object, request_.asked);
  for (const Secret& secret : secrets_) redactor.learn_value(secret.reveal());
  return redactor;
}

ApiReply ApiCall::reply_of(const HttpResult& result) {
  const auto type = result.headers.find("content-type");
  ApiReply reply(result.status, std::string(type.value_or("")), std::move(body_), request_.asked,
                 redactor(), !is_discovery_path(request_.path) || !is_good_status(result.status));
  // Its values are known before a warning is looked at that may repeat one.
  if (!request_.is_text) (void)reply.object();
  for (const auto& [name, value] : result.headers.fields()) {
    if (name == "warning") reply.add_warning(warning_text(value));
  }
  if (line_.credentials.access().cluster.is_insecure) {
    reply.add_warning("the server's certificate was not verified (insecure-skip-tls-verify)");
  }
  if (is_cut_) reply.note_cut();
  return reply;
}

void ApiCall::on_done(const HttpResult& result) {
  const bool is_whole = result.end == HttpEnd::kComplete ||
                        (result.end == HttpEnd::kStopped && (is_cut_ || is_enough_));
  const bool is_good = is_whole && is_good_status(result.status);
  if (!is_good && body_.size() > kErrorBytesMax) body_.resize(kErrorBytesMax);
  ApiReply reply = reply_of(result);
  // A page of a proxy that stands before the server has a good status as well.
  const bool is_object = !request_.is_text && !request_.on_event;
  if (!is_good || (is_object && !reply.object().is_object())) {
    return fail_with(explain_failure({result, request_.path, request_.may_change}, std::move(reply),
                                     line_.credentials));
  }
  std::exchange(done_, nullptr)(std::move(reply));  // May destroy this.
}

}  // namespace filecall::worker::kube
