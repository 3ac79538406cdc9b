// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/cli/end_actions.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/run_end.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "client/service/entry_json.h"
#include "client/service/request_service.h"

namespace filecall::client {
namespace {

/// A service's log: a line an outcome, as text or JSON, flushed at once.
class WatchView final : public RunObserver {
 public:
  WatchView(bool is_json, bool is_quiet) : is_json_(is_json), is_quiet_(is_quiet) {}

  void on_outcome(const RequestOutcome& outcome) override {
    const bool gave_up = outcome.state == RequestState::kGaveUp;
    if (gave_up && !outcome.from_earlier_run) ++given_up_;
    ++ended_;
    if (is_json_) {
      print(dump_json(outcome_json(outcome)) + "\n");
    } else if (!is_quiet_ || gave_up) {
      std::string line =
          fmt::format("{} {} {} after {} attempt{}, {}", format_rfc3339(outcome.finished_at),
                      to_string(outcome.state), one_line(outcome.request_id, 200), outcome.attempts,
                      outcome.attempts == 1 ? "" : "s", human_ms(outcome.latency_ms));
      if (outcome.error_code) {
        line += fmt::format(": {}: {}", to_string(*outcome.error_code),
                            one_line(outcome.error_message, 500));
      }
      print(line + "\n");
    }
    flush_output();
  }
  void on_progress(const RunProgress&) override {}
  std::int64_t given_up() const { return given_up_; }
  std::int64_t ended() const { return ended_; }
  void on_notice(const std::string& text) override {
    if (!is_quiet_) print_error(text);
  }

 private:
  std::int64_t given_up_ = 0;  ///< In this run.
  std::int64_t ended_ = 0;     ///< That it saw, those that were answered before it too.
  bool is_json_;
  bool is_quiet_;
};

Result<int> watch(const Arguments& arguments, EndActions& end_actions) {
  TRY(end_actions.check());
  for (const char* option : {"on-end", "notify"}) {
    if (!arguments.has(option) || arguments.has("until-idle")) continue;
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("--{}: a watch ends by itself only with --until-idle; add that", option));
  }
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments, false));
  TRY_ASSIGN(const auto service, RequestService::open(options));
  WatchView view(arguments.has("json"), arguments.has("quiet"));
  const InterruptScope scope(service->interruption());
  const bool until_idle = arguments.has("until-idle");
  print_note(fmt::format("filecall: watching {}{}; Ctrl-C ends it\n", options.root,
                         until_idle ? " until nothing is left to do" : ""),
             arguments.has("quiet"));
  const auto ended = service->watch(view, until_idle);
  if (ended || ended.error().code != ErrorCode::kUnavailable) {
    end_actions.set_summary({{"ended", view.ended()},
                             {"gave_up", view.given_up()},
                             {"interrupted", !ended || *ended == RunEnd::kInterrupted}});
  }
  if (!ended && ended.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kUnavailable,
                ended.error().message + "; a root needs only one watch, end the other one first");
  }
  TRY_ASSIGN(const RunEnd end, ended);
  if (end == RunEnd::kDone) return view.given_up() > 0 ? kExitGaveUp : kExitSuccess;
  return explain_end(end, options.root,
                     std::string("filecall watch ") + (until_idle ? "--until-idle " : "") +
                         "--root " + options.root);
}

}  // namespace

int watch_command(const Arguments& arguments) {
  EndActions end_actions(arguments);
  const auto code = watch(arguments, end_actions);
  return end_actions.finish(code ? *code : report_error(code.error()));
}

}  // namespace filecall::client
