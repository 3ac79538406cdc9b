// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/version.h"
#include "os/clock.h"
#include "worker/exec/kube/client/exec_output.h"
#include "worker/exec/kube/client/failed_exchange.h"

namespace filecall::worker::kube {
namespace {

/// Of one message; the server reads them whole.
constexpr std::size_t kInputPieceBytes = 32 * 1024;
constexpr Duration kGoodbye = seconds(2);
/// The command bounds the whole; nothing may come for long while a program works.
constexpr HttpTimeouts kTimeouts{seconds(10), seconds(60), std::chrono::hours(24),
                                 std::chrono::hours(24)};
const ObjectKind kPod{"", "Pod"};

}  // namespace

ExecCall::ExecCall(uv_loop_t* loop, ApiCall::Line line, ExecRequest request,
                   std::function<void(Result<std::int64_t, Failure>)> done)
    : loop_(loop),
      line_(std::move(line)),
      request_(std::move(request)),
      done_(std::move(done)),
      redactor_(line_.digest_key, Redactor::Secrets::kHidden, line_.redaction),
      goodbye_(loop, [this] { finish(reported()); }) {
  if (!request_.pod.is_null()) redactor_.learn(request_.pod, kPod);
}

ExecCall::~ExecCall() { *is_alive_ = false; }

void ExecCall::start() {
  line_.credentials.prepare([this, alive = is_alive_](const Error* error) {
    if (!*alive || !done_) return;
    if (error != nullptr) return finish(Failure::of(*error));
    send();
  });
}

void ExecCall::send() {
  const ClusterAccess& access = line_.credentials.access();
  WebSocket::Request request;
  request.http.method = "GET";
  request.http.url = access.server + request_.path;
  request.http.headers = {{"User-Agent", fmt::format("filecall/{}", program_version())}};
  request.http.proxy = access.cluster.proxy_url;
  request.http.is_proxy_fixed = !request.http.proxy.empty();
  request.http.timeouts = kTimeouts;
  request.protocols = {std::string(kExecProtocolV5)};
  // A program that reads its input to the end would never get there.
  if (!request_.has_input) request.protocols.emplace_back(kExecProtocolV4);
  std::vector<Secret> secrets;
  if (const auto signed_ = line_.credentials.sign(request.http, secrets); !signed_) {
    return finish(Failure::of(signed_.error()));
  }
  for (const Secret& secret : secrets) redactor_.learn_value(secret.reveal());
  socket_ = WebSocket::open(loop_, std::move(request), *this);
}

void ExecCall::on_open(std::string_view) {
  opened_at_ = monotonic_now();
  if (!request_.has_input) return;
  std::string_view rest = request_.input;
  while (!rest.empty()) {
    socket_->send(input_message(rest.substr(0, kInputPieceBytes)));
    rest.remove_prefix(std::min(rest.size(), kInputPieceBytes));
  }
  socket_->send(end_of_input_message());
}

bool ExecCall::on_message(std::string_view bytes) {
  const bool had_status = channels_.status().has_value();
  if (!channels_.take(bytes)) return had_status;
  if (!had_status && channels_.status()) {
    ended_at_ = monotonic_now();
    goodbye_.start(kGoodbye);
  }
  return true;
}

void ExecCall::on_done(const WebSocketResult& result) {
  goodbye_.stop();
  if (channels_.status()) return finish(reported());
  finish(result.was_open ? lost(result) : not_opened(result));
}

Result<std::int64_t, Failure> ExecCall::reported() {
  return exit_code_of(redactor_.redact(*channels_.status(), {}));
}

Failure ExecCall::not_opened(const WebSocketResult& result) {
  const auto type = result.http.headers.find("content-type");
  ApiReply reply(result.http.status, std::string(type.value_or("")), result.body, kPod, redactor_);
  const bool is_of_server = reply.object().is_object();
  Failure failure =
      explain_failure({result.http, request_.path, true}, std::move(reply), line_.credentials);
  const int status = result.http.status;
  if (request_.has_input && !is_of_server && (status == 400 || status == 403)) {
    failure.message +=
        fmt::format("; stdin needs {}, which servers before 1.30 do not speak", kExecProtocolV5);
  }
  return failure;
}

Failure ExecCall::lost(const WebSocketResult& result) const {
  const HttpResult& http = result.http;
  std::string why = !channels_.problem().empty() ? channels_.problem()
                    : http.end == HttpEnd::kTooLarge
                        ? fmt::format("the command printed more than {} MiB",
                                      WebSocket::kReceivedBytesMax / 1024 / 1024)
                    : http.end == HttpEnd::kComplete
                        ? fmt::format("the server closed it with {}{}{}", result.close_code,
                                      result.close_reason.empty() ? "" : ": ", result.close_reason)
                        : http.message;
  if (why.empty()) why = to_string(http.end);
  Failure failure;
  failure.code =
      http.end == HttpEnd::kTooLarge ? ErrorCode::kResourceExhausted : ErrorCode::kUnavailable;
  failure.retryable = false;
  failure.message = fmt::format(
      "the connection ended before the server reported an exit code ({}); the command may have "
      "run, "
      "and may be running still: look at what it changes before you run it again",
      redactor_.scrub(why));
  failure.details = Json{{"ambiguous", true}, {"transport", to_string(http.end)}};
  return failure;
}

void ExecCall::finish(Result<std::int64_t, Failure> outcome) {
  if (ended_at_ == MonotonicTime{}) ended_at_ = monotonic_now();
  stop();
  if (auto done = std::exchange(done_, nullptr)) done(std::move(outcome));  // May destroy this.
}

void ExecCall::stop() {
  was_sent_ = was_sent();
  goodbye_.stop();
  socket_.reset();
}

bool ExecCall::was_sent() const { return was_sent_ || (socket_ && socket_->was_sent()); }

Json ExecCall::output(std::size_t bytes_max) const {
  return exec_output(channels_, redactor_, bytes_max);
}

Duration ExecCall::elapsed() const {
  if (opened_at_ == MonotonicTime{}) return Duration::zero();
  return (ended_at_ == MonotonicTime{} ? monotonic_now() : ended_at_) - opened_at_;
}

}  // namespace filecall::worker::kube
