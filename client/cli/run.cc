// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <limits>

#include "client/batch/batch.h"
#include "client/cli/dry_run.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/interrupt.h"
#include "client/cli/output.h"
#include "client/cli/run_end.h"
#include "client/cli/run_inputs.h"
#include "client/cli/run_view.h"
#include "client/cli/subcommands.h"
#include "client/report/json_summary.h"
#include "client/report/text_layout.h"
#include "client/report/text_summary.h"
#include "client/service/price_files.h"
#include "client/service/request_service.h"

namespace filecall::client {
namespace {

int print_problems(const BatchCheck& check) {
  for (const std::string& problem : check.problems) print_note(one_line(problem, 2000) + "\n");
  const auto more = check.problem_count - static_cast<std::int64_t>(check.problems.size());
  if (more > 0) print_note(fmt::format("... and {} more\n", human_count(more)));
  print_error(
      fmt::format("{} problem{} in {} requests; nothing was dropped, correct the input and "
                  "run again",
                  human_count(check.problem_count), check.problem_count == 1 ? "" : "s",
                  human_count(check.requests)));
  return kExitUsage;
}

/// A word as a shell would need it.
std::string quoted(const std::string& word) {
  const bool is_plain = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-./:=@%+,") == std::string::npos;
  if (is_plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The command that continues this run; what came from standard input is named by its copy.
std::string again_command(const Arguments& arguments, const Batch& batch, const std::string& root) {
  std::string command = "filecall run";
  for (const BatchSource& source : batch.sources()) command += " " + quoted(source.path);
  if (arguments.has("root")) command += " --root " + quoted(root);
  for (const std::string_view option : split_words(arguments.command().options)) {
    if (option == "root" || !arguments.has(option)) continue;
    for (const std::string& value : arguments.all(option)) {
      command += fmt::format(" --{}", option);
      if (!find_option(option, "run")->value.empty()) command += " " + quoted(value);
    }
  }
  return command;
}

void print_summary(const Arguments& arguments, RunView& view) {
  if (arguments.has("json")) {
    print_json(json_summary(view.summary()));
  } else if (!arguments.has("quiet")) {
    const bool to_terminal = output_is_terminal();
    print(text_summary(view.summary(),
                       {.colour = output_colour(),
                        .columns = to_terminal ? terminal_columns(STDOUT_FILENO) : 160}));
    if (view.report()) print(fmt::format("\nReport: {}\n", view.report()->page_path()));
  }
}

Result<void> read_limits(const Arguments& arguments, OrchestratorOptions& options) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (arguments.has("max-cost")) {
    TRY_ASSIGN(options.limits.cost, arguments.number("max-cost", 0));
  }
  if (arguments.has("max-tokens")) {
    TRY_ASSIGN(options.limits.tokens, arguments.integer("max-tokens", 0, 0, kMost));
  }
  if (arguments.has("max-errors")) {
    TRY_ASSIGN(options.limits.errors, arguments.integer("max-errors", 0, 1, kMost));
  }
  TRY_ASSIGN(options.prices,
             load_prices(arguments.text("prices"), arguments.text("worker-config")));
  return {};
}

Result<int> run(const Arguments& arguments) {
  TRY_ASSIGN(OrchestratorOptions options, engine_options(arguments, true));
  TRY(read_limits(arguments, options));
  options.cache = arguments.text("cache");
  options.cache_all = arguments.has("cache-all");
  if (options.cache_all && options.cache.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--cache-all: needs --cache DIR");
  }
  const spool::Layout layout(options.root);
  const bool is_quiet = arguments.has("quiet");
  TRY_ASSIGN(const auto batch, open_run_inputs(arguments, layout));
  TRY_ASSIGN(const BatchCheck check, batch->check());
  if (!check.is_good()) return print_problems(check);
  if (arguments.has("dry-run")) return print_dry_run(arguments, *batch, options.prices);
  if (check.requests == 0) print_error("the input holds no requests; there is nothing to do");
  options.batch = batch->name();

  RunView view(options, check.requests, is_quiet, arguments.has("json"));
  view.summary().name = batch->name();
  TRY(view.open_outputs(arguments.text("out"), arguments.text("out-openai"),
                        arguments.text("report")));
  TRY_ASSIGN(const auto service, RequestService::open(options));
  const InterruptScope scope(service->interruption());
  const auto ended = service->run([&batch] { return batch->feed(); }, view);
  if (ended) view.summary().stopped_by = ended->limit_reason;
  const auto finished = view.finish(!ended || ended->end != RunEnd::kDone);
  print_summary(arguments, view);
  if (!finished) print_error(finished.error().message);
  if (!ended) return Unexpected(ended.error());
  if (ended->end == RunEnd::kLimit) print_error("stopped: " + ended->limit_reason);
  if (ended->end != RunEnd::kDone) {
    return explain_end(ended->end, options.root, again_command(arguments, *batch, options.root));
  }
  const auto given_up = view.summary().gave_up();
  if (given_up > 0) {
    print_note(
        "\nLook at one with 'filecall show ID', try them again with 'filecall retry "
        "--failed' and the same run.\n",
        is_quiet || arguments.has("json"));
  }
  return given_up > 0 || !finished ? kExitGaveUp : kExitSuccess;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto code = run(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
