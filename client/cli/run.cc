// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <optional>

#include "base/count_text.h"
#include "base/shell_word.h"
#include "client/batch/batch.h"
#include "client/batch/run_setup.h"
#include "client/batch/waiting_run.h"
#include "client/cli/dry_run.h"
#include "client/cli/end_actions.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/limit_options.h"
#include "client/cli/output.h"
#include "client/cli/run_end.h"
#include "client/cli/run_inputs.h"
#include "client/cli/run_view.h"
#include "client/cli/subcommands.h"
#include "client/engine/settings_look.h"
#include "client/engine/worker_process.h"
#include "client/report/json_summary.h"
#include "client/report/retry_advice.h"
#include "client/report/text_layout.h"
#include "client/report/text_summary.h"
#include "client/runs/run_files.h"
#include "client/service/ended_before.h"
#include "client/service/request_service.h"
#include "client/turns/runner/conversation_run.h"
#include "client/turns/runner/stored_conversations.h"
#include "os/clock.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kRunIdBytesMax = 60;

int print_problems(const BatchCheck& check) {
  for (const std::string& problem : check.problems) print_note(one_line(problem, 2000) + "\n");
  const auto more = check.problem_count - static_cast<std::int64_t>(check.problems.size());
  if (more > 0) print_note(fmt::format("... and {} more\n", human_count(more)));
  const std::string count = fmt::format(
      "{} in {}; nothing was dropped, correct the input and run again",
      counted_noun(check.problem_count, "problem"), counted_noun(check.requests, "request"));
  print_error(count);
  print_json_error(
      {ErrorCode::kInvalidArgument, fmt::format("{}\n{}", count, fmt::join(check.problems, "\n"))});
  return kExitUsage;
}

/// The command that continues this run; what came from standard input is named by its copy.
std::string again_command(const Arguments& arguments, const Batch& batch, const std::string& root,
                          const std::string& run_id) {
  std::string command = "filecall run";
  for (const BatchSource& source : batch.sources()) command += " " + shell_word(source.path);
  command += root_words(arguments, root);
  if (!run_id.empty()) command += " --run-id " + run_id;
  for (const std::string_view option : split_words(arguments.command().options)) {
    if (option == "root" || option == "fresh" || option == "run-id") continue;
    if (!arguments.has(option)) continue;
    for (const std::string& value : arguments.all(option)) {
      command += fmt::format(" --{}", option);
      if (find_option(option, "run")->value.empty()) continue;
      // A URL may hold secrets.
      command += " " + (option == "notify" ? std::string("URL") : shell_word(value));
    }
  }
  return command;
}

/// What --fresh or --run-id makes ids end with; empty: nothing.
Result<std::string> chosen_run_id(const Arguments& arguments) {
  if (!arguments.has("run-id")) return arguments.has("fresh") ? new_run_id() : std::string();
  const std::string id = arguments.text("run-id");
  const bool is_plain =
      id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
      std::string::npos;
  if (arguments.has("fresh")) {
    return fail(ErrorCode::kInvalidArgument,
                "--fresh makes a run id of its own; give --run-id or --fresh, not both");
  }
  if (id.empty() || id.size() > kRunIdBytesMax || !is_plain) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("--run-id: '{}' is not 1 to {} letters, digits, '.', '_' or '-'; write "
                            "e.g. 2026-11-23",
                            id, kRunIdBytesMax));
  }
  return id;
}

/// A run that found nothing to do says so: silence would look like work.
std::string nothing_done_text(const RunSummary& summary) {
  const std::int64_t failed = summary.gave_up();
  const std::string_view when = summary.followed() == 0 ? "answered earlier"
                                : summary.from_earlier_runs() == 0
                                    ? "asked by another filecall meanwhile"
                                    : "answered earlier or asked by another filecall meanwhile";
  return fmt::format(
      "filecall: nothing was asked: {} {}{}; {}--fresh asks {} again\n",
      summary.ended() == 1 ? "the request was"
                           : fmt::format("all {} requests were", human_count(summary.ended())),
      when, failed == 0 ? std::string() : fmt::format(", {} of them given up", human_count(failed)),
      failed == 0
          ? std::string()
          : fmt::format("{} and the same run ask the failed {} again, ",
                        retry_commands(summary.by_error()), one_or_many(failed, "one", "ones")),
      summary.ended() == 1 ? "it" : "all of them");
}

/// Of a conversation that was given up as a whole no request need have failed.
std::string look_again_text(const RunSummary& summary) {
  const std::string commands = retry_commands(summary.by_error());
  return fmt::format(
      "\nLook at one with 'filecall show ID'{}.\n",
      commands.empty() ? "" : fmt::format(", try them again with {} and the same run", commands));
}

/// Somebody may have retried what this run has given up, while it went on with the rest.
void look_at_given_up(const OrchestratorOptions& options, RunSummary& summary) {
  // A conversation's list names first requests, which end well in a conversation given up later.
  if (summary.conversations.total > 0) return;
  EndedLook look(spool::layout_of(options.root),
                 {.root = options.root, .allow_shared_root = options.allow_shared_root});
  for (const RequestOutcome& outcome : summary.gave_up_list()) {
    // Another request has its id.
    if (outcome.attempts == 0 && outcome.error_code == ErrorCode::kInvalidArgument) continue;
    const auto is_success = look.find(outcome.request_id);
    if (!is_success) {
      print_error("whether what was given up was retried meanwhile is not known: " +
                  is_success.error().message);
      return;
    }
    if (!*is_success || **is_success) ++summary.retried_meanwhile;
  }
  for (const std::string& notice : look.notices()) print_error(notice);
}

/// What cron has to mail of a quiet run.
std::string given_up_text(const RunSummary& summary) {
  const std::int64_t all = std::max(summary.total, summary.ended());
  std::string text = fmt::format("{}: {} given up", one_line(summary.name, 200),
                                 part_of(summary.gave_up(), all, "request"));
  if (all > summary.ended()) {
    text += fmt::format(", {} not ended", human_count(all - summary.ended()));
  }
  if (!summary.gave_up_list().empty()) {
    const RequestOutcome& first = summary.gave_up_list().front();
    text += fmt::format("; the first is {}: {}", one_line(first.request_id, 200),
                        one_line(first.error_message, 300));
  }
  if (summary.retried_meanwhile > 0) {
    text +=
        fmt::format("; {} of them given new attempts meanwhile, run again", summary.retried_text());
  }
  return text + "; 'filecall status --state GAVE_UP' lists them";
}

std::string missing_text(const RunSummary& summary) {
  return fmt::format(
      "{}: {} missing: earlier runs had what gc or somebody removed since; a worker answers again "
      "what has its request still, --fresh asks again for all",
      one_line(summary.name, 200),
      counted_noun(summary.responses_missing, "response is", "responses are"));
}

void print_summary(const Arguments& arguments, RunView& view) {
  if (arguments.has("json")) {
    print_json(json_summary(view.summary()));
  } else if (arguments.has("quiet")) {
    if (view.summary().gave_up() > 0) print_error(given_up_text(view.summary()));
  } else {
    const bool to_terminal = output_is_terminal();
    print(text_summary(view.summary(),
                       {.colour = output_colour(),
                        .columns = to_terminal ? terminal_columns(STDOUT_FILENO) : 160}));
    if (view.report()) print(fmt::format("\nReport: {}\n", view.report()->page_path()));
  }
}

/// The run's record: before anything is dropped, so that what was dropped is always in one.
Result<RunRecord> begin_run(Batch& batch, const OrchestratorOptions& options) {
  RunPlanText plan;
  plan.name = batch.name();
  plan.setup = run_setup(batch.plan());
  for (const BatchSource& source : batch.sources()) plan.inputs.push_back(source.path);
  RunFiles runs{spool::layout_of(options.root)};
  const auto list = [&batch](RunDraft& draft) {
    return batch.list([&](std::string_view id, std::string_view metadata) {
      return draft.add(id, metadata, batch.waits().members_text(id));
    });
  };
  TRY_ASSIGN(RunFiles::Begun begun, runs.begin(plan, list, wall_now(), options.durability));
  return std::move(begun.record);
}

/// nullopt: another process drives it, and this one follows.
Result<std::optional<spool::FileLock>> lock_run(const RunRecord& record,
                                                const spool::Layout& layout, RunView& view) {
  auto lock = RunFiles(layout).lock(record.run_id);
  if (lock) return std::optional(std::move(*lock));
  if (lock.error().code != ErrorCode::kUnavailable) return Unexpected(lock.error());
  view.on_notice(
      fmt::format("run {}: another filecall drives it; this one follows what that one "
                  "asks and shares the rest",
                  record.run_id));
  return std::optional<spool::FileLock>();
}

/// Starts a worker where that may tell what it has: false, it was not started.
Result<bool> start_for_a_look(const OrchestratorOptions& options, const Arguments& arguments) {
  if (options.worker_use != WorkerUse::kStart || arguments.has("dry-run")) return false;
  const WorkerStart start{.root = options.root,
                          .config = options.worker_config,
                          .log_file = {},
                          .durability = options.worker_durability,
                          .allow_shared_root = options.allow_shared_root};
  TRY(check_worker_config(start));
  if (const auto view = worker_view(options.root)) {
    // One that would be started again anyway.
    const auto plan = look_at_settings(options.root, *view, true);
    if (plan && plan->remedy == SettingsRemedy::kRestart) {
      carry_out(*plan, start, [&](const std::string& text) {
        print_note("filecall: " + text + "\n", arguments.has("quiet"));
      });
    }
  }
  // What hinders it shows when the run needs it.
  const auto child = start_worker(start);
  return child && wait_until_ready(start, *child, options.cold_start_delay);
}

/// A root without a record of its worker's providers gets its worker now: what a provider does not
/// take is refused before anything is dropped.
Result<BatchCheck> check_batch(Batch& batch, const OrchestratorOptions& options,
                               const Arguments& arguments) {
  const bool is_strict = arguments.has("strict");
  ProviderCatalog catalog =
      options.worker_config.empty() ? known_providers(options.root) : ProviderCatalog();
  EndedLook ended(spool::layout_of(options.root),
                  {.root = options.root, .allow_shared_root = options.allow_shared_root});
  const auto ended_before = [&ended](const std::string& id) { return ended.find(id); };
  TRY_ASSIGN(BatchCheck check, batch.check(is_strict, catalog, ended_before));
  for (const std::string& notice : ended.notices()) print_error(notice);
  if (!check.is_good() || !check.has_options || !catalog.providers.empty()) return check;
  TRY_ASSIGN(const bool is_there, start_for_a_look(options, arguments));
  if (!is_there) return check;
  catalog = running_providers(options.root);
  if (catalog.providers.empty()) return check;
  return batch.check(is_strict, catalog, ended_before);
}

/// What a template's `tools` may name.
Result<std::vector<WorkerTool>> tools_of_worker(const OrchestratorOptions& options,
                                                const Arguments& arguments) {
  if (options.worker_config.empty()) {
    if (auto known = known_tools(options.root)) return std::move(*known);
  }
  TRY(start_for_a_look(options, arguments));
  if (auto known = known_tools(options.root)) return std::move(*known);
  return fail(ErrorCode::kFailedPrecondition,
              "tools: a template names tools of the worker, and no worker has said which it "
              "declares; start it with 'filecall worker start --worker-config FILE'");
}

Result<RequestService::BatchEnd> run_batch(Batch& batch, PriorityPasses passes,
                                           const spool::Layout& layout, RequestService& service,
                                           RunView& view) {
  const auto feed = batch.feed(std::move(passes));
  const auto earlier = [&]() -> Result<std::unique_ptr<SubmissionFeed>> {
    return std::unique_ptr<SubmissionFeed>(
        std::make_unique<StoredConversations>(batch.feed(), layout, false));
  };
  if (!batch.waits().empty()) {
    // Requests as they stand: none begins a conversation.
    WaitingRun waiting(*feed, batch.waits(), layout.client_tmp(), view);
    return service.run(waiting, earlier, waiting);
  }
  ConversationRun conversations(*feed, layout, view, view);
  return service.run(conversations, earlier, conversations);
}

Result<int> run(const Arguments& arguments, EndActions& end_actions) {
  TRY(end_actions.check());
  TRY_ASSIGN(OrchestratorOptions options, engine_options(arguments, true));
  TRY(read_limits(arguments, options));
  options.cache = arguments.text("cache");
  options.cache_all = arguments.has("cache-all");
  if (options.cache_all && options.cache.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--cache-all: needs --cache DIR");
  }
  const spool::Layout layout = spool::layout_of(options.root);
  const bool is_quiet = arguments.has("quiet");
  TRY_ASSIGN(const std::string run_id, chosen_run_id(arguments));
  const auto tools = [&] { return tools_of_worker(options, arguments); };
  TRY_ASSIGN(const auto batch, open_run_inputs(arguments, layout, run_id, tools));
  TRY_ASSIGN(const BatchCheck check, check_batch(*batch, options, arguments));
  if (!check.is_good()) return print_problems(check);
  for (const std::string& warning : check.warnings) print_error(one_line(warning, 2000));
  if (!check.warnings.empty()) print_note("filecall: --strict makes this an error\n", is_quiet);
  if (arguments.has("dry-run")) return print_dry_run(arguments, *batch, options.prices);
  if (check.requests == 0) print_error("the input holds no requests; there is nothing to do");
  options.batch = batch->name();

  if (arguments.has("fresh")) {
    print_note(
        fmt::format("filecall: run {}; interrupted, it goes on with --run-id {}\n", run_id, run_id),
        is_quiet);
  }

  RunView view(options, check, is_quiet, arguments.has("json"));
  view.summary().name = batch->name();
  TRY(view.open_outputs(arguments.text("out"), arguments.text("out-openai"),
                        arguments.text("report")));
  TRY_ASSIGN(const auto service, RequestService::open(options));
  std::optional<spool::FileLock> lock;
  if (check.requests > 0) {
    TRY_ASSIGN(const RunRecord record, begin_run(*batch, options));
    TRY(view.begin(record));
    TRY_ASSIGN(lock, lock_run(record, layout, view));
  }
  const InterruptScope scope(service->interruption());
  PriorityPasses passes(check.priorities, check.has_usual_priority, options.priority.value_or(0));
  const auto ended = run_batch(*batch, std::move(passes), layout, *service, view);
  if (ended) view.summary().stopped_by = ended->limit_reason;
  const auto finished = view.finish(!ended || ended->end != RunEnd::kDone);
  look_at_given_up(options, view.summary());
  print_summary(arguments, view);
  end_actions.set_summary(json_summary(view.summary()));
  const bool lacks_responses = view.summary().responses_missing > 0;
  if (!finished) print_error(finished.error().message);
  // A file of results that lacks them has said so.
  if (finished && lacks_responses) print_error(missing_text(view.summary()));
  if (!ended) return Unexpected(ended.error());
  if (ended->end == RunEnd::kLimit) print_error("stopped: " + ended->limit_reason);
  if (ended->end != RunEnd::kDone) {
    return explain_end(ended->end, options.root,
                       again_command(arguments, *batch, options.root, run_id));
  }
  const bool has_failures = view.summary().has_failures();
  if (check.requests > 0 && view.summary().asked() == 0) {
    print_note(nothing_done_text(view.summary()), is_quiet);
  } else if (has_failures) {
    print_note(look_again_text(view.summary()), is_quiet || arguments.has("json"));
  }
  return has_failures || lacks_responses || !finished ? kExitGaveUp : kExitSuccess;
}

}  // namespace

int run_command(const Arguments& arguments) {
  EndActions end_actions(arguments);
  const auto code = run(arguments, end_actions);
  return end_actions.finish(code ? *code : report_error(code.error()));
}

}  // namespace filecall::client
