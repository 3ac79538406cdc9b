// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/random.h"
#include "base/result.h"
#include "client/batch/existing_request.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/params_option.h"
#include "client/cli/run_end.h"
#include "client/cli/subcommands.h"
#include "client/cli/worker_notice.h"
#include "client/service/last_answer.h"
#include "ipc/limits.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "os/process.h"

namespace filecall::client {
namespace {

/// "call-20261121T023445Z-1a2b3c4d": sorts by time, is new every time.
std::string new_id() {
  std::string stamp = format_rfc3339(wall_now());
  stamp.erase(stamp.find('.'), 4);
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("call-{}-{}", stamp, Random(random_seed()).hex(8));
}

Result<Submission> make_call(const Arguments& arguments) {
  Request request;
  request.request_id = arguments.has("id") ? arguments.text("id") : new_id();
  request.command = arguments.words()[0];
  TRY_ASSIGN(request.params, params_option(arguments));
  TRY_ASSIGN(const std::int64_t priority,
             arguments.integer("priority", 0, limits::kPriorityMin, limits::kPriorityMax));
  request.priority = static_cast<int>(priority);
  if (arguments.has("timeout-ms")) {
    TRY_ASSIGN(const std::int64_t timeout_ms,
               arguments.integer("timeout-ms", 0, 1, limits::kTimeoutMsMax));
    request.timeout_ms = timeout_ms;
  }
  std::string bytes = render_request(request);
  if (!bytes.ends_with('\n')) bytes += '\n';
  auto checked = parse_request(bytes, request.request_id);
  if (!checked) {
    return fail(ErrorCode::kInvalidArgument, "request: " + checked.error().message);
  }
  return Submission{request.request_id, request.command, std::move(bytes)};
}

class SingleFeed final : public SubmissionFeed {
 public:
  explicit SingleFeed(Submission submission) : submission_(std::move(submission)) {}
  Result<Offer> next() override {
    auto submission = std::exchange(submission_, std::nullopt);
    return submission ? Offer::of(std::move(*submission)) : Offer::end();
  }

 private:
  std::optional<Submission> submission_;
};

class SingleObserver final : public RunObserver {
 public:
  SingleObserver(const OrchestratorOptions& options, bool is_quiet)
      : is_quiet_(is_quiet),
        worker_notice_(options.root, options.worker_use == WorkerUse::kStart) {}
  void on_outcome(const RequestOutcome& outcome) override { outcome_ = outcome; }
  void on_progress(const RunProgress& progress) override {
    const auto notice = worker_notice_.look(progress.worker, monotonic_now());
    if (notice) on_notice(*notice);
  }
  void on_notice(const std::string& text) override {
    if (!is_quiet_) print_error(text);
  }
  const std::optional<RequestOutcome>& outcome() const { return outcome_; }

 private:
  bool is_quiet_;
  WorkerNotice worker_notice_;
  std::optional<RequestOutcome> outcome_;
};

/// Prints what came of it: the files are the truth, the outcome is the fallback.
int print_outcome(const Arguments& arguments, const spool::Layout& layout,
                  const RequestOutcome& outcome) {
  const bool is_success = outcome.state == RequestState::kSuccess;
  const auto answer = last_answer(layout, outcome.request_id, outcome.state);
  if (arguments.has("json")) {
    if (!answer) return report_error(answer.error());
    const Json whole = Json::parse(answer->bytes, nullptr, false);
    if (whole.is_discarded()) {
      return report_error({ErrorCode::kDataLoss, answer->path + ": not JSON; look at the file"});
    }
    print_json(whole);
    return is_success ? kExitSuccess : kExitGaveUp;
  }
  if (!is_success) {
    print_error(fmt::format("{}: {} ({}, {} attempt{})", outcome.command, outcome.error_message,
                            to_string(outcome.error_code.value_or(ErrorCode::kUnknown)),
                            outcome.attempts, outcome.attempts == 1 ? "" : "s"));
    return kExitGaveUp;
  }
  if (!answer) return report_error(answer.error());
  const auto response = parse_response(answer->bytes, outcome.request_id);
  if (!response) return report_error(response.error());
  print_json(response->data);
  return kExitSuccess;
}

Result<int> call(const Arguments& arguments) {
  TRY_ASSIGN(OrchestratorOptions options, engine_options(arguments, true));
  options.window = 1;
  TRY_ASSIGN(Submission submission, make_call(arguments));
  const spool::Layout layout(options.root);
  const std::string id = submission.request_id;
  if (const auto conflict = ExistingRequests(layout).conflict(submission); !conflict.empty()) {
    return fail(ErrorCode::kAlreadyExists, conflict);
  }
  TRY_ASSIGN(const auto orchestrator, Orchestrator::open(options));
  SingleFeed feed(std::move(submission));
  SingleObserver observer(options, arguments.has("quiet"));
  const InterruptScope scope(orchestrator->interruption());
  TRY_ASSIGN(const RunEnd end, orchestrator->run(feed, observer));
  if (observer.outcome()) return print_outcome(arguments, layout, *observer.outcome());
  const std::string again =
      fmt::format("'filecall call {} --id {}' with the same params", arguments.words()[0], id);
  return explain_end(end, options.root, again);
}

}  // namespace

int call_command(const Arguments& arguments) {
  const auto code = call(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
