// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <optional>
#include <string>

#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "client/service/entry_json.h"
#include "client/service/run_scope.h"
#include "client/turns/transcript.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

void print_file(const char* name, const std::optional<std::string>& text) {
  if (!text) return;
  const Json json = content_json(text);
  print(fmt::format("\n{}:\n{}\n", name, dump_json(json, 2)));
}

void print_details(const RequestDetails& details) {
  const RequestEntry& entry = details.entry;
  const auto row = [](const char* name, const std::string& value) {
    if (!value.empty()) print(fmt::format("{:<10} {}\n", name, one_line(value, 2000)));
  };
  row("request", entry.request_id);
  row("command", entry.command);
  row("state", std::string(to_string(entry.state)) +
                   (entry.is_inferred ? " (inferred from the files)" : ""));
  row("attempt", std::to_string(entry.attempts));
  if (entry.error_code) {
    row("error", fmt::format("{}: {}", to_string(*entry.error_code), entry.error_message));
  }
  row("batch", entry.batch);
  if (entry.submitted_at != WallTime{}) row("submitted", format_rfc3339(entry.submitted_at));
  if (entry.due_at) row("due", format_rfc3339(*entry.due_at));
  if (entry.finished_at) {
    row("finished", format_rfc3339(*entry.finished_at));
    row("timing",
        fmt::format("queued {}, ran {}", human_ms(entry.queued_ms), human_ms(entry.run_ms)));
  }
  if (!entry.owner.empty()) {
    row("owner", entry.owner + (entry.owner_is_alive ? " (alive)" : " (gone)"));
  }
  for (const std::string& path : details.files) row("file", path);
  const bool is_gone = entry.state == RequestState::kSuccess && !details.response;
  if (is_gone) {
    row("response", "none that can be read: gc or somebody removed it, or it is of another user");
  }
  if (details.turns.is_array()) {
    print(fmt::format("\nconversation:\n{}\n", without_controls(transcript_text(details.turns))));
  }
  print_file("request", details.request);
  print_file("response", details.response);
  // The copy usually equals the response; twice the same text helps nobody.
  if (details.failed != details.response) print_file("failed", details.failed);
  print_file("eval", details.eval);
}

Result<int> show(const Arguments& arguments) {
  TRY_ASSIGN(const auto ledger, open_ledger_to_read(arguments));
  TRY_ASSIGN(RequestDetails details, ledger->show(arguments.words()[0]));
  TRY_ASSIGN(details.turns, find_turns(*ledger, spool::layout_of(chosen_root(arguments)), details));
  if (arguments.has("json")) {
    print_json(details_json(details));
  } else {
    print_details(details);
  }
  return kExitSuccess;
}

}  // namespace

int show_command(const Arguments& arguments) {
  const auto code = show(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
