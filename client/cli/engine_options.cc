// SPDX-License-Identifier: MIT
#include "client/cli/engine_options.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "base/shell_word.h"
#include "client/cli/output.h"
#include "ipc/limits.h"
#include "os/process.h"
#include "spool/group_root.h"
#include "spool/layout.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kWindowMax = 100'000;
constexpr std::int64_t kAttemptsMax = 1000;

std::string absolute(const std::string& path) {
  std::error_code status;
  const auto full = std::filesystem::absolute(path, status);
  return status ? path : full.lexically_normal().string();
}

}  // namespace

std::string chosen_root(const Arguments& arguments) {
  const std::string root =
      spool::choose_root(arguments.text("root"), std::getenv(spool::kRootVariable.data()));
  return spool::layout_of(absolute(root)).root();
}

std::string root_words(const Arguments& arguments, const std::string& root) {
  return arguments.has("root") ? " --root " + shell_word(root) : std::string();
}

Result<std::optional<int>> priority_option(const Arguments& arguments) {
  if (!arguments.has("priority")) return std::optional<int>();
  TRY_ASSIGN(const std::int64_t priority,
             arguments.integer("priority", 0, limits::kPriorityMin, limits::kPriorityMax));
  return std::optional(static_cast<int>(priority));
}

Result<OrchestratorOptions> engine_options(const Arguments& arguments, bool starts_worker) {
  OrchestratorOptions options;
  options.root = chosen_root(arguments);
  options.allow_shared_root = arguments.has("allow-shared-root");
  TRY_ASSIGN(const std::int64_t attempts, arguments.integer("attempts", 3, 1, kAttemptsMax));
  options.retry.attempts_max = static_cast<int>(attempts);
  TRY_ASSIGN(options.retry.backoff_base, arguments.duration("backoff", options.retry.backoff_base));
  TRY_ASSIGN(options.retry.backoff_max,
             arguments.duration("backoff-max", options.retry.backoff_max));
  TRY_ASSIGN(options.retry.pause_max, arguments.duration("max-pause", options.retry.pause_max));
  // Who waits at a terminal for one answer wants to know at once that nobody is there.
  const bool is_single = arguments.command().name == "call";
  TRY_ASSIGN(
      options.retry.outage_max,
      arguments.duration("max-outage", is_single ? Duration::zero() : options.retry.outage_max));
  TRY_ASSIGN(options.attempt_timeout, arguments.duration("timeout", options.attempt_timeout));
  if (options.attempt_timeout == Duration::zero()) {
    return fail(ErrorCode::kInvalidArgument,
                "--timeout: 0 leaves no time for a response; write e.g. 30s");
  }
  TRY_ASSIGN(options.cold_start_delay,
             arguments.duration("cold-start-delay", options.cold_start_delay));
  TRY_ASSIGN(const std::int64_t window, arguments.integer("window", options.window, 1, kWindowMax));
  options.window = static_cast<int>(window);
  TRY_ASSIGN(options.priority, priority_option(arguments));
  if (arguments.has("start-worker") && arguments.has("no-start-worker")) {
    return fail(ErrorCode::kInvalidArgument,
                "--start-worker and --no-start-worker contradict each other; give one of them");
  }
  if (arguments.has("start-worker")) starts_worker = true;
  if (arguments.has("no-start-worker")) starts_worker = false;
  options.worker_use = starts_worker ? WorkerUse::kStart : WorkerUse::kNone;
  if (arguments.has("worker-config")) {
    options.worker_config = absolute(arguments.text("worker-config"));
  }
  TRY_ASSIGN(options.durability, arguments.durability());
  if (arguments.has("durability")) {
    options.worker_durability = parse_durability(arguments.text("durability"));
  }
  options.seed = random_seed();
  return options;
}

Result<LedgerOptions> ledger_options(const Arguments& arguments) {
  LedgerOptions options;
  options.root = chosen_root(arguments);
  options.allow_shared_root = arguments.has("allow-shared-root");
  TRY_ASSIGN(options.durability, arguments.durability());
  return options;
}

Error no_such_root(const std::string& root) {
  return {ErrorCode::kNotFound,
          root +
              ": no such directory; a run or 'filecall worker start' creates it, --root or "
              "$FILECALL_ROOT name another"};
}

namespace {

Result<std::unique_ptr<Ledger>> open_ledger_with(const LedgerOptions& options) {
  using std::filesystem::file_type;
  std::error_code error;
  const file_type kind = std::filesystem::status(options.root, error).type();
  const bool is_unknown = kind == file_type::none;  // Ledger::open() says why.
  if (!is_unknown && kind != file_type::not_found && kind != file_type::directory) {
    return fail(ErrorCode::kInvalidArgument,
                options.root + ": is not a directory; --root or $FILECALL_ROOT name one");
  }
  if (kind == file_type::not_found) {
    return Unexpected(no_such_root(options.root));
  }
  TRY_ASSIGN(std::unique_ptr<Ledger> ledger, Ledger::open(options));
  for (const std::string& notice : ledger->notices()) print_error(notice);
  return ledger;
}

}  // namespace

Result<std::unique_ptr<Ledger>> open_ledger(const Arguments& arguments) {
  TRY_ASSIGN(const LedgerOptions options, ledger_options(arguments));
  return open_ledger_with(options);
}

Result<std::unique_ptr<Ledger>> open_ledger_to_read(const Arguments& arguments) {
  TRY_ASSIGN(LedgerOptions options, ledger_options(arguments));
  options.only_reads = true;
  return open_ledger_with(options);
}

}  // namespace filecall::client
