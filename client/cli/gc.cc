// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <memory>

#include "base/count_text.h"
#include "base/duration.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

/// Where the disk is full, what needs no database goes first, so that it can be written again.
/// `removed`: that.
Result<std::unique_ptr<Ledger>> open_with_room(const Arguments& arguments, const GcOptions& options,
                                               RemovedFiles& removed) {
  auto ledger = open_ledger(arguments);
  if (ledger || ledger.error().code != ErrorCode::kResourceExhausted) return ledger;
  TRY_ASSIGN(auto reader, open_ledger_to_read(arguments));
  if (options.dry_run) return reader;
  TRY_ASSIGN(removed, reader->make_room(options));
  if (removed.bytes == 0) {
    const spool::Layout layout = spool::layout_of(chosen_root(arguments));
    return fail(ErrorCode::kResourceExhausted,
                fmt::format("{}; gc records what it removes, and found nothing that it may remove "
                            "before that: what is nobody's, e.g. {}/worker/log and old files of "
                            "{}, may go by hand",
                            ledger.error().message, layout.root(), layout.events()));
  }
  print_note(fmt::format("filecall: the disk is full; {} are free now, gc goes on\n",
                         human_bytes(static_cast<std::uint64_t>(removed.bytes))),
             arguments.has("json"));
  return open_ledger(arguments);
}

Result<int> gc(const Arguments& arguments) {
  if (!arguments.has("older-than")) {
    return fail(ErrorCode::kInvalidArgument,
                "gc: --older-than is missing; write e.g. --older-than 30d, or 0s for all that "
                "ended");
  }
  GcOptions options;
  TRY_ASSIGN(options.older_than, arguments.duration("older-than", Duration::zero()));
  options.dry_run = arguments.has("dry-run");
  if (arguments.has("forget-after")) {
    TRY_ASSIGN(options.forget_after, arguments.duration("forget-after", Duration::zero()));
  }
  options.with_failed = arguments.has("failed");
  RemovedFiles first;
  TRY_ASSIGN(const auto ledger, open_with_room(arguments, options, first));
  GcProgress on_progress;
  if (error_is_terminal()) {
    on_progress = [&](std::int64_t done, std::int64_t all) {
      print_note(fmt::format("\r{}{}", part_of(done, all, "request"),
                             options.dry_run ? " looked at" : " removed"));
    };
  }
  TRY_ASSIGN(GcReport report, ledger->gc(options, on_progress));
  report.files += first.files;
  report.bytes += first.bytes;
  if (on_progress) print_note("\r\x1b[K");
  if (arguments.has("json")) {
    print_json({{"requests", report.requests},
                {"files", report.files},
                {"bytes", report.bytes},
                {"kept", report.kept},
                {"kept_failed", report.kept_failed},
                {"kept_for_runs", report.kept_for_runs},
                {"forgotten", report.forgotten},
                {"dry_run", options.dry_run}});
  } else {
    print(fmt::format("{} {}: {}, {}. Kept {} that ended later than {} ago.\n",
                      options.dry_run ? "Would remove" : "Removed",
                      counted_noun(report.requests, "request"), counted_noun(report.files, "file"),
                      human_bytes(static_cast<std::uint64_t>(report.bytes)),
                      human_count(report.kept), format_duration(options.older_than)));
    if (report.kept_failed > 0) {
      print(
          fmt::format("Kept {} given up ('filecall status --state GAVE_UP'): --failed removes {}, "
                      "too.\n",
                      counted_noun(report.kept_failed, "that was", "that were"),
                      one_or_many(report.kept_failed, "it", "them")));
    }
    if (report.kept_for_runs > 0) {
      print(
          fmt::format("Kept {} of agents' runs that can go on: they have not ended, or ended on a "
                      "budget ('filecall agent list'), or their thread is damaged.\n",
                      counted_noun(report.kept_for_runs, "request")));
    }
    if (options.forget_after) {
      print(fmt::format("{} {}: those requests run again when they are dropped again.\n",
                        options.dry_run ? "Would remove" : "Removed",
                        counted_noun(report.forgotten, "tombstone")));
    }
  }
  return kExitSuccess;
}

}  // namespace

int gc_command(const Arguments& arguments) {
  const auto code = gc(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
