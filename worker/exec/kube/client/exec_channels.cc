// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_channels.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/client/api_error.h"

namespace filecall::worker::kube {
namespace {

constexpr char kInput = 0, kOutput = 1, kErrors = 2, kStatus = 3;
/// v5: what follows is the channel that has ended.
constexpr char kEnded = '\xff';
constexpr std::size_t kReasonBytes = 2000;

/// What a runtime or a kubelet says of a command that it did not begin, in lower case.
struct Refusal {
  std::string_view part;
  ErrorCode code;
  std::string_view reason;
  std::string_view more;
};
constexpr Refusal kRefusals[] = {
    {"executable file not found", ErrorCode::kNotFound, "CommandNotFound",
     "the container's image has no such program in its PATH"},
    {"no such file or directory", ErrorCode::kNotFound, "CommandNotFound",
     "the container's image has no such program, or not what it needs"},
    {"exec format error", ErrorCode::kFailedPrecondition, "CommandNotExecutable",
     "the container cannot run this file"},
    {"permission denied", ErrorCode::kFailedPrecondition, "CommandNotExecutable",
     "the container's user may not run this file"},
    {"container not found", ErrorCode::kNotFound, "ContainerNotFound",
     "it has not been started, or it is gone"},
    {"is not created or running", ErrorCode::kFailedPrecondition, "ContainerNotRunning", ""},
    {"is not running", ErrorCode::kFailedPrecondition, "ContainerNotRunning", ""},
    {"stopped container", ErrorCode::kFailedPrecondition, "ContainerNotRunning", ""},
    {"error dialing backend", ErrorCode::kUnavailable, "NodeUnreachable",
     "the API server cannot reach the kubelet of the pod's node"},
    {"unable to upgrade connection", ErrorCode::kUnavailable, "NodeRefused",
     "the kubelet of the pod's node refused"},
};
/// Words that a running program's own end may have as well count only where the runtime says that
/// it could not begin.
constexpr std::string_view kStartFailed[] = {"unable to start container process",
                                             "failed to start exec", "failed to create exec",
                                             "starting container process caused"};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

const Refusal* refusal_of(const std::string& message) {
  std::string text = message;
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool is_start =
      std::ranges::any_of(kStartFailed, [&](std::string_view part) { return has(text, part); });
  for (const Refusal& refusal : kRefusals) {
    const bool is_of_start = refusal.reason.starts_with("Command");
    if (has(text, refusal.part) && (is_start || !is_of_start)) return &refusal;
  }
  return nullptr;
}

std::optional<std::int64_t> exit_code_in(const Json& status) {
  const Json& causes = member(member(status, "details"), "causes");
  if (!causes.is_array()) return std::nullopt;
  for (const Json& cause : causes) {
    if (text_member(cause, "reason") != "ExitCode") continue;
    const std::string text = text_member(cause, "message");
    std::int64_t code = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, code);
    const bool is_code = read.ec == std::errc() && read.ptr == end && code != 0 &&
                         code >= -(std::int64_t{1} << 31) && code < (std::int64_t{1} << 32);
    if (is_code) return code;
  }
  return std::nullopt;
}

/// {"metadata":{},"status":"Success"}, as the kubelet's and the runtimes' remotecommand has it:
/// Go's metav1.Status without TypeMeta.
bool is_status(const Json& json) {
  const Json& kind = member(json, "kind");
  const std::string status = text_member(json, "status");
  return (kind.is_null() || kind == Json("Status")) && (status == "Success" || status == "Failure");
}

}  // namespace

std::string input_message(std::string_view bytes) { return std::string(1, kInput).append(bytes); }

std::string end_of_input_message() { return {kEnded, kInput}; }

bool ExecChannels::take(std::string_view message) {
  if (message.empty()) return true;
  const char channel = message.front();
  message.remove_prefix(1);
  switch (channel) {
    case kOutput:
      out_.append(message);
      return true;
    case kErrors:
      err_.append(message);
      return true;
    case kStatus:
      return take_status(message);
    default:  // Servers open channel 0 as well, with an empty message.
      return true;
  }
}

bool ExecChannels::take_status(std::string_view bytes) {
  if (status_ || bytes.empty()) return true;  // The first one counts.
  status_text_.append(bytes);
  if (status_text_.size() > kStatusBytesMax) {
    problem_ = fmt::format("a status of more than {} bytes", kStatusBytesMax);
    return false;
  }
  if (auto json = parse_foreign(status_text_); json && is_status(*json)) {
    status_ = *std::move(json);
    (*status_)["kind"] = "Status";
    (*status_)["apiVersion"] = "v1";
  }
  return true;  // Perhaps the rest follows.
}

Result<std::int64_t, Failure> exit_code_of(const Json& status) {
  if (text_member(status, "status") == "Success") return 0;
  if (const auto code = exit_code_in(status)) return *code;
  const std::string message = excerpt(text_member(status, "message"), kReasonBytes);
  if (const auto http = count_member(status, "code"); http && *http >= 400 && *http < 500) {
    ApiProblem problem;
    problem.http_status = static_cast<int>(*http);
    problem.status = status;
    Failure failure = failure_of(problem);
    failure.retryable = false;
    return failure;
  }
  Failure failure;
  failure.retryable = false;
  failure.details = Json{{"reason", text_member(status, "reason")}};
  if (const Refusal* refusal = refusal_of(message)) {
    failure.code = refusal->code;
    failure.details["reason"] = refusal->reason;
    failure.message = fmt::format("the command was not begun: {}{}{}", message,
                                  refusal->more.empty() ? "" : "; ", refusal->more);
    return failure;
  }
  failure.code = ErrorCode::kUnknown;
  failure.details["ambiguous"] = true;
  failure.message = fmt::format("the server reports no exit code: {}; the command may have run",
                                message.empty() ? "no reason was given" : message);
  return failure;
}

}  // namespace filecall::worker::kube
