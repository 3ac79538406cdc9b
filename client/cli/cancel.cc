// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <string>
#include <vector>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "client/service/known_batch.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

/// The ids on the command line, or of --batch and --all those that have not ended.
Result<std::vector<std::string>> chosen_ids(const Arguments& arguments, Ledger& ledger) {
  const bool is_all = arguments.has("all");
  const bool is_batch = arguments.has("batch");
  if (!arguments.words().empty() ? is_all || is_batch : is_all == is_batch) {
    return fail(ErrorCode::kInvalidArgument, "cancel: give ids, or --batch NAME, or --all");
  }
  if (!arguments.words().empty()) {
    return std::vector<std::string>(arguments.words().begin(), arguments.words().end());
  }
  std::vector<std::string> ids;
  EntryFilter filter;
  filter.batch = arguments.text("batch");
  TRY(require_batch(ledger, spool::layout_of(chosen_root(arguments)), filter.batch));
  TRY(ledger.for_each(filter, [&](const RequestEntry& entry) {
    if (!is_final(entry.state)) ids.push_back(entry.request_id);
    return true;
  }));
  return ids;
}

std::string effect_text(CancelEffect effect, Duration patience) {
  switch (effect) {
    case CancelEffect::kCancelled:
      return "cancelled";
    case CancelEffect::kRecorded:
      return fmt::format(
          "given up as cancelled, but no worker answered within {}; the next worker is asked, too",
          human_duration(patience));
    case CancelEffect::kAsked:
      break;
  }
  return "asked; the client that drives it ends it";
}

Result<int> cancel(const Arguments& arguments) {
  TRY_ASSIGN(const Duration patience, arguments.duration("patience", seconds(5)));
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  TRY_ASSIGN(const std::vector<std::string> ids, chosen_ids(arguments, *ledger));
  int code = kExitSuccess;
  Json json = Json::array();
  TRY_ASSIGN(const auto results, ledger->changes().cancel_all(ids, patience));
  for (const auto& [id, effect] : results) {
    if (!effect) {
      print_error(effect.error().message);
      json.push_back({{"request_id", id},
                      {"error_code", to_string(effect.error().code)},
                      {"error_message", effect.error().message}});
      code = worse_exit_code(code, effect.error().code);
      continue;
    }
    const bool is_done = *effect == CancelEffect::kCancelled;
    json.push_back({{"request_id", id}, {"effect", is_done ? "cancelled" : "asked"}});
    if (!arguments.has("json")) {
      print(fmt::format("{}: {}\n", one_line(id, 200), effect_text(*effect, patience)));
    }
  }
  if (arguments.has("json")) print_json(json);
  if (ids.empty() && !arguments.has("json")) print("All have ended; there is nothing to cancel.\n");
  return code;
}

}  // namespace

int cancel_command(const Arguments& arguments) {
  const auto code = cancel(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
