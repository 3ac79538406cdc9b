// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "base/count_text.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/engine/settings_look.h"
#include "client/engine/worker_process.h"
#include "client/report/text_layout.h"
#include "client/service/known_batch.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

/// For a worker that is started.
constexpr Duration kReadyPatience = seconds(30);

Result<FailedRetry> retry_chosen(const Arguments& arguments, Ledger& ledger) {
  TRY_ASSIGN(const auto priority, priority_option(arguments));
  if (arguments.has("failed")) {
    FailedChoice choice{.batch = arguments.text("batch"), .command = arguments.text("command")};
    if (arguments.has("code")) choice.error_code = parse_error_code(arguments.text("code"));
    TRY(require_batch(ledger, spool::layout_of(chosen_root(arguments)), choice.batch));
    return ledger.changes().retry_failed(choice, priority);
  }
  return FailedRetry{.results = ledger.changes().retry(arguments.words(), priority)};
}

/// A worker answers at once what is retried. One whose key or script was corrected since it was
/// started is started again before, as a run would do it.
void renew_worker(const Arguments& arguments) {
  const WorkerStart start{.root = chosen_root(arguments),
                          .allow_shared_root = arguments.has("allow-shared-root")};
  const auto view = worker_view(start.root);
  const auto plan =
      view ? look_at_settings(start.root, *view, true) : Result<SettingsPlan>(SettingsPlan{});
  if (!plan) return print_error(plan.error().message);
  const bool is_mute = arguments.has("json") || arguments.has("quiet");
  const auto say = [&](const std::string& text) {
    print_note("filecall: " + text + "\n", is_mute);
  };
  if (!carry_out(*plan, start, say)) return;
  const auto child = start_worker(start);
  if (!child) return print_error(child.error().message);
  if (const auto ready = wait_until_ready(start, *child, kReadyPatience); !ready) {
    print_error(ready.error().message);
  }
}

/// Why nothing is pending again.
std::string nothing_text(const Arguments& arguments, const FailedRetry& retried) {
  const std::int64_t left_out = retried.cancelled + retried.aborted + retried.of_runs;
  if (left_out > 0) {
    return fmt::format("Nothing is retried: of {} given up, none is taken by itself.\n",
                       counted_noun(left_out, "request that was", "requests that were"));
  }
  const bool is_choosy =
      arguments.has("batch") || arguments.has("code") || arguments.has("command");
  return fmt::format("No request {}was given up; there is nothing to retry.\n",
                     is_choosy ? "of these " : "");
}

/// `unasked`: of these, those that IdResult says it of.
std::string pending_text(std::int64_t done, std::int64_t unasked) {
  std::string text = counted_noun(done, "request") + " pending again.";
  if (done > 0) {
    text +=
        " The next run of the batch, or 'filecall watch --until-idle', retries what fails again; "
        "until then failed/ keeps how each ended.";
  }
  if (unasked > 0) {
    text += fmt::format("\n{} no request file; only the run of the batch asks {}.",
                        counted_noun(unasked, "of them has", "of them have"),
                        one_or_many(unasked, "it", "them"));
  }
  return text + "\n";
}

void print_left_out(const FailedRetry& retried) {
  if (retried.cancelled > 0) {
    const std::int64_t count = retried.cancelled;
    print(fmt::format("{} that somebody cancelled {} so; --code cancelled takes {}.\n",
                      human_count(count), one_or_many(count, "stays", "stay"),
                      one_or_many(count, "it", "them")));
  }
  if (retried.of_runs > 0) {
    const std::int64_t count = retried.of_runs;
    print(fmt::format("{} of agents' runs {} so: the runs have ended without {}.\n",
                      human_count(count), one_or_many(count, "stays", "stay"),
                      one_or_many(count, "it", "them")));
  }
  if (retried.aborted > 0) {
    const std::int64_t count = retried.aborted;
    // Somebody has to look; --quiet is for who has, or lets a report say it.
    print_error(
        fmt::format("{} interrupted may have had effects; look at {}, then --code aborted takes {}",
                    counted_noun(count, "that was", "that were"), one_or_many(count, "it", "them"),
                    one_or_many(count, "it", "them")));
  }
}

Result<int> retry(const Arguments& arguments) {
  if (arguments.has("failed") != arguments.words().empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "retry: give ids, or --failed for all that were given up; see 'filecall retry "
                "--help'");
  }
  for (const char* option : {"batch", "code", "command"}) {
    if (!arguments.has(option) || arguments.has("failed")) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("retry: --{} chooses among --failed; leave the ids out", option));
  }
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  renew_worker(arguments);
  TRY_ASSIGN(const FailedRetry retried, retry_chosen(arguments, *ledger));
  const std::vector<IdResult>& results = retried.results;
  std::int64_t done = 0;
  std::int64_t unasked = 0;
  int code = kExitSuccess;
  Json json = {{"retried", Json::array()}, {"errors", Json::array()}};
  for (const IdResult& result : results) {
    if (!result.error) {
      ++done;
      if (result.is_unasked) ++unasked;
      json["retried"].push_back(result.request_id);
      continue;
    }
    json["errors"].push_back({{"request_id", result.request_id},
                              {"error_code", to_string(result.error->code)},
                              {"error_message", result.error->message}});
    print_error(result.error->message);
    code = worse_exit_code(code, result.error->code);
  }
  json["left_out"] = {
      {"cancelled", retried.cancelled}, {"aborted", retried.aborted}, {"of_runs", retried.of_runs}};
  if (arguments.has("json")) {
    print_json(json);
  } else if (!arguments.has("quiet")) {
    print(done == 0 && results.empty() ? nothing_text(arguments, retried)
                                       : pending_text(done, unasked));
    print_left_out(retried);
  }
  return code;
}

}  // namespace

int retry_command(const Arguments& arguments) {
  const auto code = retry(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
