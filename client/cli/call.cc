// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/result.h"
#include "client/cli/call_view.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/follow_output.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/params_option.h"
#include "client/cli/run_end.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "client/service/last_answer.h"
#include "client/service/request_follower.h"
#include "client/service/request_service.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

Result<Submission> make_call(const Arguments& arguments) {
  Request request;
  request.request_id = arguments.has("id") ? arguments.text("id") : new_request_id("call");
  request.command = arguments.words()[0];
  TRY_ASSIGN(request.params, params_option(arguments));
  TRY_ASSIGN(const auto priority, priority_option(arguments));
  request.priority = priority.value_or(0);
  if (arguments.has("timeout-ms")) {
    TRY_ASSIGN(const std::int64_t timeout_ms,
               arguments.integer("timeout-ms", 0, 1, limits::kTimeoutMsMax));
    request.timeout_ms = timeout_ms;
  }
  request.stream = arguments.has("follow");
  return submission_of(request);
}

/// The whole answer as its file has it, with members that nobody reads here.
Result<Json> answer_document(const spool::Layout& layout, const RequestOutcome& outcome) {
  TRY_ASSIGN(const LastAnswer answer, last_answer(layout, outcome.request_id, outcome.state));
  Json whole = Json::parse(answer.bytes, nullptr, false);
  if (whole.is_discarded()) {
    return fail(ErrorCode::kDataLoss, answer.path + ": not JSON; look at the file");
  }
  return whole;
}

/// What the file says decides: it may have changed since the request ended in an earlier run.
Result<int> print_document(const spool::Layout& layout, const RequestOutcome& outcome) {
  TRY_ASSIGN(const Json whole, answer_document(layout, outcome));
  print_json(whole);
  const bool is_success = whole.is_object() && whole.value("status", Json()) == "success";
  return is_success ? kExitSuccess : kExitGaveUp;
}

/// The end of what a program wrote on standard error, when that is more than the message has.
std::string stderr_text(const Json& details) {
  constexpr int kLines = 10;
  const auto found = details.is_object() ? details.find("stderr") : details.end();
  if (found == details.end() || !found->is_string() || details.contains("stderr_base64")) return {};
  std::string text = found->get<std::string>();
  while (text.ends_with('\n')) text.pop_back();
  if (text.find('\n') == std::string::npos) return {};
  std::size_t begin = text.size();
  for (int i = 0; i < kLines && begin != std::string::npos && begin > 0; ++i) {
    begin = text.rfind('\n', begin - 1);
  }
  const bool is_whole = begin == std::string::npos || begin == 0;
  std::string out = is_whole ? "its standard error:" : "the end of its standard error:";
  for (std::size_t at = is_whole ? 0 : begin + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "\n  " + one_line(text.substr(at, end - at), 400);
    at = end + 1;
  }
  return out;
}

int report_failure(const RequestOutcome& outcome, const Failure& failure) {
  print_error(fmt::format("{}: {} ({}, {} attempt{})", outcome.command, failure.message,
                          to_string(failure.code), outcome.attempts,
                          outcome.attempts == 1 ? "" : "s"));
  const std::string said = stderr_text(failure.details);
  if (!said.empty()) print_note("filecall: " + said + "\n");
  return kExitGaveUp;
}

Result<int> print_outcome(const Arguments& arguments, const spool::Layout& layout,
                          const RequestOutcome& outcome) {
  if (arguments.has("json")) return print_document(layout, outcome);
  if (outcome.state != RequestState::kSuccess) {
    Failure failure;
    failure.code = outcome.error_code.value_or(ErrorCode::kUnknown);
    failure.message = outcome.error_message;
    if (outcome.response && outcome.response->failure) {
      failure.details = outcome.response->failure->details;
    }
    return report_failure(outcome, failure);
  }
  if (outcome.response) {
    print_json(outcome.response->data);
    return kExitSuccess;
  }
  TRY_ASSIGN(const Response response, last_response(layout, outcome.request_id, outcome.state));
  if (!response.is_success()) return report_failure(outcome, *response.failure);
  print_json(response.data);
  return kExitSuccess;
}

/// Prints a request's events while somebody else waits for its end.
class LiveOutput {
 public:
  LiveOutput(const spool::Layout& layout, const std::string& id, const Arguments& arguments)
      : output_(id, arguments.has("json"), arguments.has("quiet")), tail_(layout.events(id)) {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      for (bool is_last = false; !is_last;) {
        // Once more after the end, which the events are written before.
        is_last = stop.stop_requested();
        if (!tell_events(tail_, output_)) return;
        std::unique_lock<std::mutex> lock(mutex_);
        ended_.wait_for(lock, stop, kEventsEvery, [] { return false; });
      }
    });
  }
  /// Everything was printed.
  FollowOutput& end() {
    thread_.request_stop();
    thread_.join();
    return output_;
  }

 private:
  static constexpr std::chrono::milliseconds kEventsEvery{40};
  FollowOutput output_;
  EventTail tail_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

Result<int> call(const Arguments& arguments) {
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments, true));
  TRY_ASSIGN(Submission submission, make_call(arguments));
  const std::string id = submission.request_id;
  TRY_ASSIGN(const auto service, RequestService::open(options));
  TRY(service->submit(std::move(submission)));
  CallView view(options, arguments.has("quiet"));
  const InterruptScope scope(service->interruption());
  const spool::Layout layout = spool::layout_of(options.root);
  std::optional<LiveOutput> live;
  if (arguments.has("follow")) live.emplace(layout, id, arguments);
  TRY_ASSIGN(const auto waited, service->wait(id, Deadline::never(), view));
  FollowOutput* followed = live ? &live->end() : nullptr;
  if (waited.outcome) {
    const auto code = followed != nullptr ? followed->print_answer(layout, waited.outcome->state)
                                          : print_outcome(arguments, layout, *waited.outcome);
    if (code) return *code;
    // It ended; only its answer cannot be read.
    print_error(code.error().message);
    return kExitGaveUp;
  }
  if (waited.end == RunEnd::kInterrupted) {
    print_error(fmt::format("the worker goes on with it; 'filecall cancel {}' ends it", id));
  }
  const std::string again =
      fmt::format("'filecall call {} --id {}' with the same params", arguments.words()[0], id);
  return explain_end(waited.end, options.root, again);
}

}  // namespace

int call_command(const Arguments& arguments) {
  const auto code = call(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
