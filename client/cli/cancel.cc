// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

Result<int> cancel(const Arguments& arguments) {
  TRY_ASSIGN(const Duration patience, arguments.duration("patience", seconds(5)));
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  int code = kExitSuccess;
  Json json = Json::array();
  for (const std::string& id : arguments.words()) {
    const auto effect = ledger->changes().cancel(id, patience);
    if (!effect) {
      print_error(effect.error().message);
      json.push_back({{"request_id", id}, {"error_code", to_string(effect.error().code)}});
      code = kExitGaveUp;
      continue;
    }
    const bool is_done = *effect == CancelEffect::kCancelled;
    json.push_back({{"request_id", id}, {"effect", is_done ? "cancelled" : "asked"}});
    if (!arguments.has("json")) {
      print(fmt::format("{}: {}\n", one_line(id, 200),
                        is_done ? "cancelled" : "asked; it ends when the worker answers"));
    }
  }
  if (arguments.has("json")) print_json(json);
  return code;
}

}  // namespace

int cancel_command(const Arguments& arguments) {
  const auto code = cancel(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
