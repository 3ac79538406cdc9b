// SPDX-License-Identifier: MIT
#include "client/cli/end_actions.h"

#include <fmt/core.h>

#include "client/cli/engine_options.h"
#include "client/cli/output.h"
#include "client/ending/end_command.h"
#include "client/ending/end_notice.h"
#include "ipc/json_member.h"

namespace filecall::client {

Result<void> EndActions::check() const {
  if (arguments_.has("on-end") && arguments_.text("on-end").empty()) {
    return fail(ErrorCode::kInvalidArgument, "--on-end: is empty; give a command of the shell");
  }
  if (arguments_.has("notify") && shown_url(arguments_.text("notify")).empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--notify: is no URL; write e.g. https://example.org/hook");
  }
  // At the end of a night it would be too late.
  return arguments_.has("notify") ? check_notices() : Result<void>();
}

int EndActions::finish(int exit_code) const {
  if (!summary_ || !(arguments_.has("on-end") || arguments_.has("notify"))) return exit_code;
  flush_output();
  const std::string name(arguments_.command().name);
  const std::string root = chosen_root(arguments_);
  const Json told = {
      {"command", name}, {"exit_code", exit_code}, {"root", root}, {"summary", *summary_}};
  const std::string text = dump_json(told) + "\n";
  if (arguments_.has("on-end")) {
    const auto code = run_end_command(arguments_.text("on-end"), text,
                                      {{"FILECALL_COMMAND", name},
                                       {"FILECALL_EXIT_CODE", std::to_string(exit_code)},
                                       {"FILECALL_ROOT", root},
                                       {"FILECALL_BATCH", string_member(*summary_, "batch")},
                                       {"FILECALL_RUN_ID", string_member(*summary_, "run_id")}});
    if (!code) {
      print_error(code.error().message);
    } else if (*code != 0) {
      print_error(
          fmt::format("--on-end: the command's exit code is {}; the exit code of this {} "
                      "stays {}",
                      *code, name, exit_code));
    }
  }
  if (arguments_.has("notify")) {
    const auto sent = post_notice(arguments_.text("notify"), text, {});
    if (!sent) print_error(sent.error().message);
  }
  return exit_code;
}

}  // namespace filecall::client
