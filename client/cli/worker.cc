// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/count_text.h"
#include "base/duration.h"
#include "base/nearest.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/cli/worker_text.h"
#include "client/engine/launch_check.h"
#include "client/engine/living_clients.h"
#include "client/engine/remembered_launch.h"
#include "client/engine/worker_process.h"
#include "client/service/entry_json.h"
#include "spool/group_root.h"
#include "spool/layout.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

/// The root, once it is known to be ours: what lies in another's root (a status, a log, the pid to
/// be signalled) is what that user wrote there. One that is not there yet is nobody's.
Result<std::string> checked_root(const Arguments& arguments) {
  const std::string root = chosen_root(arguments);
  const auto opened = spool::Root::open(
      root, {.allow_shared = arguments.has("allow-shared-root"), .create = false});
  if (!opened && opened.error().code != ErrorCode::kNotFound) {
    return Unexpected(opened.error());
  }
  return root;
}

/// The same of one that has to be there.
Result<std::string> present_root(const Arguments& arguments) {
  TRY_ASSIGN(std::string root, checked_root(arguments));
  std::error_code status;
  if (std::filesystem::exists(root, status)) return root;
  return Unexpected(no_such_root(root));
}

Result<WorkerStart> start_options(const Arguments& arguments) {
  // The same rules for paths as a run's.
  TRY_ASSIGN(const OrchestratorOptions options, engine_options(arguments, true));
  WorkerStart start;
  start.root = options.root;
  start.config = options.worker_config;
  start.log_file = arguments.text("log-file");
  if (!start.log_file.empty() && start.log_file != "-") {
    // The worker may be started in another directory.
    std::error_code status;
    start.log_file = std::filesystem::absolute(start.log_file, status).string();
  }
  start.durability = options.worker_durability;
  start.forgets = arguments.has("forget");
  start.allow_shared_root = options.allow_shared_root;
  return start;
}

/// What a program reads is asked for, and is no note.
bool is_quiet(const Arguments& arguments) {
  return arguments.has("quiet") && !arguments.has("json");
}

void print_view(const Arguments& arguments, const std::string& root, const WorkerView& view) {
  if (is_quiet(arguments)) return;
  if (arguments.has("json")) {
    Json json = worker_json(view);
    json["root"] = root;
    print_json(json);
  } else {
    print(fmt::format("{}: {}\n", root, worker_text(view)));
  }
}

Result<int> start(const Arguments& arguments) {
  TRY_ASSIGN(const WorkerStart options, start_options(arguments));
  TRY(check_worker_config(options));
  TRY_ASSIGN(const Duration patience, arguments.duration("timeout", seconds(30)));
  const auto child = start_worker(options);
  if (!child) {
    const int code = report_error(child.error());
    return child.error().code == ErrorCode::kNotFound ? static_cast<int>(kExitNoWorker) : code;
  }
  const auto view = wait_until_ready(options, *child, patience);
  if (!view) {
    (void)report_error(view.error());
    return view.error().code == ErrorCode::kInvalidArgument ? kExitUsage : kExitNoWorker;
  }
  const bool is_mute = arguments.has("json") || arguments.has("quiet");
  if (*child == 0) print_note("filecall: a worker was already running\n", is_mute);
  print_view(arguments, options.root, *view);
  return kExitSuccess;
}

Result<WorkerStop> stop_options(const Arguments& arguments) {
  WorkerStop options;
  if (arguments.has("grace")) {
    TRY_ASSIGN(options.grace, arguments.duration("grace", Duration::zero()));
  }
  options.now = arguments.has("now");
  options.waits = arguments.has("wait");
  if (options.waits && (options.now || arguments.has("grace"))) {
    return fail(ErrorCode::kInvalidArgument,
                "worker: --wait waits as long as it takes; leave out --now and --grace");
  }
  return options;
}

/// What will become of what runs, while it is not too late to choose otherwise.
void tell_grace(const WorkerStatus& status, const WorkerStop& options, bool is_mute) {
  const std::int64_t executing = status.counts.executing;
  const Duration own = status.grace_ms >= 0 ? Duration(milliseconds(status.grace_ms)) : seconds(30);
  const Duration grace = std::min(options.grace.value_or(own), own);
  const std::string what = fmt::format("filecall: {} command{} still {}", executing,
                                       executing == 1 ? "" : "s", executing == 1 ? "runs" : "run");
  print_note(options.waits ? what + "; waiting for the end, however long that takes\n"
             : options.now
                 ? what + "; what is left is ended now\n"
                 : fmt::format("{}; after {} what is left is ended, --wait waits for it\n", what,
                               format_duration(grace)),
             is_mute);
}

struct Stopped {
  bool was_running = false;
  std::string unwritten{};   ///< Why answers were not written; empty: they were.
  std::int64_t clients = 0;  ///< Of this user, that drive requests of the root now.
};

/// Who else may start a worker at once.
std::string clients_text(std::int64_t clients) {
  return fmt::format(
      "filecall: {} at work in this root, such as a run; a worker is started again for what they "
      "ask, unless they have --no-start-worker\n",
      counted_noun(clients, "client is", "clients are"));
}

Result<Stopped> stop_and_tell(const Arguments& arguments, const std::string& root,
                              WorkerStop options) {
  const WorkerStop chosen = options;
  const bool is_mute = arguments.has("json") || arguments.has("quiet");
  options.when_it_drains = [&](const WorkerStatus& status) { tell_grace(status, chosen, is_mute); };
  Stopped stopped;
  TRY_ASSIGN(stopped.was_running, stop_worker(root, options));
  // Its last word: a worker that has written everything has no problem any more.
  const auto view = stopped.was_running ? worker_view(root) : WorkerView();
  if (view && view->status) stopped.unwritten = view->status->problem;
  if (!stopped.unwritten.empty()) {
    print_error(
        fmt::format("{}: the worker stopped with responses that were not written; the next "
                    "worker runs these requests again, or answers 'aborted' if they may have had "
                    "effects: {}",
                    root, one_line(stopped.unwritten, 300)));
  }
  stopped.clients = count_living_clients(spool::layout_of(root));
  return stopped;
}

Result<int> stop(const Arguments& arguments) {
  TRY_ASSIGN(const WorkerStop options, stop_options(arguments));
  TRY_ASSIGN(const std::string root, present_root(arguments));
  TRY_ASSIGN(const Stopped stopped, stop_and_tell(arguments, root, options));
  if (arguments.has("json")) {
    Json json = {{"root", root}, {"stopped", stopped.was_running}, {"clients", stopped.clients}};
    if (!stopped.unwritten.empty()) json["unwritten"] = stopped.unwritten;
    print_json(json);
  } else if (!arguments.has("quiet")) {
    print(fmt::format("{}: {}\n", root, stopped.was_running ? "stopped" : "no worker runs"));
    if (stopped.clients > 0) print_note(clients_text(stopped.clients));
  }
  return stopped.unwritten.empty() ? kExitSuccess : kExitDisk;
}

Result<int> restart(const Arguments& arguments) {
  TRY_ASSIGN(const WorkerStop options, stop_options(arguments));
  TRY_ASSIGN(const std::string root, checked_root(arguments));
  // What cannot be started again is not stopped.
  TRY_ASSIGN(const WorkerStart again, start_options(arguments));
  TRY(check_start(again));
  TRY(stop_and_tell(arguments, root, options));
  return start(arguments);
}

Result<int> worker_status(const Arguments& arguments) {
  TRY_ASSIGN(const std::string root, checked_root(arguments));
  TRY_ASSIGN(const WorkerView view, worker_view(root));
  print_view(arguments, root, view);
  return view.presence == WorkerPresence::kNotRunning ? kExitNoWorker : kExitSuccess;
}

Json lines_of(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Result<int> logs(const Arguments& arguments) {
  TRY_ASSIGN(const std::int64_t lines, arguments.integer("lines", 50, 1, 100'000));
  std::string path = arguments.text("log-file");
  if (path.empty()) {
    TRY_ASSIGN(const std::string root, present_root(arguments));
    path = worker_log_path({.root = root});
  }
  const bool as_json = arguments.has("json");
  if (as_json && arguments.has("follow")) {
    return fail(ErrorCode::kInvalidArgument,
                "worker: --follow prints lines as they are added; leave out --json");
  }
  LogPlace place;
  TRY_ASSIGN(const std::string text, log_tail(path, static_cast<int>(lines), &place));
  if (as_json) {
    print_json({{"log", path}, {"lines", lines_of(text)}});
  } else if (text.empty()) {
    print_note(fmt::format("filecall: {}: no log yet\n", path));
  } else {
    print(text);
    if (!text.ends_with('\n')) print("\n");
  }
  if (!arguments.has("follow")) return kExitSuccess;
  flush_output();
  TRY(follow_log(path, place, [](std::string_view more) {
    print(more);
    flush_output();
    return true;
  }));
  return kExitSuccess;
}

/// An option that an action does not use would be believed to count.
Result<void> check_options(const Arguments& arguments, const std::string& verb) {
  struct Row {
    std::string_view option;
    std::string_view actions;
  };
  static constexpr Row kRows[] = {{"worker-config", "start restart"},
                                  {"forget", "start restart"},
                                  {"durability", "start restart"},
                                  {"log-file", "start restart logs"},
                                  {"grace", "stop restart"},
                                  {"now", "stop restart"},
                                  {"wait", "stop restart"},
                                  {"quiet", "start stop restart"},
                                  {"lines", "logs"},
                                  {"follow", "logs"}};
  for (const Row& row : kRows) {
    if (!arguments.has(row.option)) continue;
    const auto actions = split_words(row.actions);
    if (std::find(actions.begin(), actions.end(), verb) != actions.end()) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("worker {}: --{} is an option of worker {}; leave it out", verb,
                            row.option, fmt::join(actions, ", ")));
  }
  return {};
}

Result<int> manage(const Arguments& arguments) {
  const std::string& verb = arguments.words()[0];
  TRY(check_options(arguments, verb));
  if (verb == "start") return start(arguments);
  if (verb == "stop") return stop(arguments);
  if (verb == "restart") return restart(arguments);
  if (verb == "status") return worker_status(arguments);
  if (verb == "logs") return logs(arguments);
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("worker: '{}' is no action{}", verb,
                          suggest(verb, {"start", "stop", "restart", "status", "logs"})));
}

}  // namespace

int worker_command(const Arguments& arguments) {
  const auto code = manage(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
