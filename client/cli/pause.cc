// SPDX-License-Identifier: MIT
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/engine/settings_look.h"
#include "client/engine/worker_process.h"
#include "client/report/text_layout.h"
#include "client/service/known_batch.h"
#include "client/service/pause_list.h"
#include "os/clock.h"
#include "spool/group_root.h"
#include "spool/pauses.h"

namespace filecall::client {
namespace {

using spool::PauseKind;

/// The names on the command line, else --batch, else the root.
std::vector<Pause> chosen_pauses(const Arguments& arguments) {
  std::vector<Pause> chosen;
  for (const std::string& name : arguments.words())
    chosen.push_back({PauseKind::kDestination, name});
  if (arguments.has("batch")) chosen.push_back({PauseKind::kBatch, arguments.text("batch")});
  if (chosen.empty()) chosen.push_back({PauseKind::kRoot, ""});
  return chosen;
}

/// False, and it is said: the root's last worker knows nothing of that name. It may be misspelt, or
/// come later. Without a worker's status nobody knows.
bool is_known_name(const std::string& root, const std::string& name) {
  const auto worker = worker_view(root);
  if (!worker || !worker->status) return true;
  const std::vector<std::string> names = names_to_pause(*worker->status, known_providers(root));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view first = std::string_view(name).substr(0, name.find('/'));
  for (std::string_view one : known) {
    const std::string_view bare = one.starts_with("llm.") ? one.substr(4) : one;
    if (one == name || bare == name || one == first || bare == first) return true;
  }
  print_error(fmt::format(
      "{}: the worker knows no command, no provider and no destination of that name, "
      "so the pause holds back nothing so far{}; 'filecall resume{}' takes it back",
      one_line(name, 100), suggest(name, known), resume_words({PauseKind::kDestination, name})));
  return false;
}

/// Nothing is held back under such a name, whatever else comes.
Result<void> check_name(const Pause& one) {
  if (one.kind == PauseKind::kRoot) return {};
  if (one.name.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "pause: a name is empty; name a destination, or give no name to pause the root");
  }
  if (one.kind == PauseKind::kDestination &&
      (one.name == "system" || one.name.starts_with("system."))) {
    return fail(ErrorCode::kInvalidArgument,
                one_line(one.name, 100) + ": system.* commands are never held back");
  }
  return {};
}

Result<int> pause(const Arguments& arguments) {
  for (const Pause& one : chosen_pauses(arguments)) TRY(check_name(one));
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  if (layout.is_of_group() && ::access(layout.paused().c_str(), W_OK) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                "pause: in the root of a group only its owner pauses and resumes");
  }
  TRY(require_batch(*ledger, layout, arguments.text("batch")));
  Json about = {{"paused_at", format_rfc3339(wall_now())}};
  if (const char* user = std::getenv("USER")) about["by"] = user;
  if (arguments.has("reason")) about["reason"] = arguments.text("reason");
  Json json = Json::array();
  int code = kExitSuccess;
  for (const Pause& one : chosen_pauses(arguments)) {
    TRY(spool::write_pause(layout, one.kind, one.name, about));
    json.push_back(pause_json(one));
    if (one.kind == PauseKind::kDestination && !is_known_name(layout.root(), one.name)) {
      json.back()["unknown"] = true;
      code = kExitGaveUp;
    }
    if (!arguments.has("json")) {
      print(
          fmt::format("{} is paused. What runs goes on to its end; 'filecall resume{}' starts "
                      "the rest.\n",
                      pause_text(one), resume_words(one)));
    }
  }
  if (arguments.has("json")) print_json(json);
  return code;
}

Result<int> resume(const Arguments& arguments) {
  TRY_ASSIGN(const auto ledger, open_ledger(arguments));
  const spool::Layout layout = spool::layout_of(chosen_root(arguments));
  TRY_ASSIGN(const spool::PauseSet set, spool::read_pauses(layout));
  const std::vector<Pause> there = list_pauses(set);
  const bool is_all = arguments.has("all");
  Json json = Json::array();
  for (const Pause& one : is_all ? there : chosen_pauses(arguments)) {
    TRY_ASSIGN(const bool was_paused, spool::remove_pause(layout, one.kind, one.name));
    if (!was_paused && !is_all) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{} is not paused; {}", pause_text(one), what_is_paused(there)));
    }
    json.push_back(pause_json(one));
    if (!arguments.has("json")) print(fmt::format("{} goes on.\n", pause_text(one)));
  }
  if (arguments.has("json")) {
    print_json(json);
  } else if (is_all && there.empty()) {
    print("Nothing is paused.\n");
  }
  return kExitSuccess;
}

}  // namespace

int pause_command(const Arguments& arguments) {
  const auto code = pause(arguments);
  return code ? *code : report_error(code.error());
}

int resume_command(const Arguments& arguments) {
  const auto code = resume(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
