// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>

#include "base/shell_word.h"
#include "base/visible_text.h"
#include "client/approval/approval_files.h"
#include "client/approval/core/shown_approval.h"
#include "client/cli/approval_origin.h"
#include "client/cli/engine_options.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/cli/subcommands.h"
#include "client/report/text_layout.h"
#include "ipc/json_member.h"
#include "os/clock.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

/// Of one text; what is cut says so.
constexpr std::size_t kPreviewLinesMax = 400;

/// A text of others on one line of ours.
std::string shown_line(const std::string& text, std::size_t columns) {
  return one_line(visible_line(text), columns);
}

void show_folded(const std::string& text) { print_folded(text, "     | "); }

/// The bar is before every line: none of them can look like one of this program.
void print_block(const std::string& text) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (++lines > kPreviewLinesMax) {
      const auto more =
          std::count(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), '\n');
      show_folded(fmt::format("     ... {} more lines; --json shows all\n", more + 1));
      return;
    }
    show_folded(quoted_lines(visible_text(text.substr(at, end - at)) + "\n", "     | "));
    at = end + 1;
  }
}

void print_rule(const Json& call) {
  if (const auto storable = call.find("storable"); storable != call.end()) {
    show_folded(fmt::format("     --scope run, thread or project stores {}\n",
                            visible_line(dump_json((*storable)["rule"]))));
    for (const Json& example : (*storable)["examples"]) {
      if (example.is_string()) {
        show_folded(
            fmt::format("       it allows: {}\n", shown_line(example.get<std::string>(), 200)));
      }
    }
  } else if (const std::string why = string_member(call, "notStorable"); !why.empty()) {
    show_folded(fmt::format("     {}\n", shown_line(why, 300)));
  }
}

void print_call(const Json& call, std::string_view key) {
  show_folded(fmt::format("  {}. {}  {}\n", call["n"].get<std::int64_t>(),
                          shown_line(string_member(call, "displayName"), 100),
                          shown_line(string_member(call, "riskLevel"), 40)));
  if (const std::string text = string_member(call, "description"); !text.empty()) {
    show_folded(fmt::format("     {}\n", shown_line(text, 300)));
  }
  for (const Json& reason : call.value("reasons", Json::array())) {
    if (reason.is_string()) {
      show_folded(fmt::format("     - {}\n", shown_line(reason.get<std::string>(), 300)));
    }
  }
  const std::string preview = string_member(call, "previewText");
  print_block(preview);
  // An argv is its own preview, unless more comes with it.
  const Json args = arguments_to_show(call, key);
  if (!preview.starts_with("$ ") || args.size() > 1) print_block(dump_json(args, 2));
  if (const Json hunks = call.value("hunks", Json::array()); !hunks.empty()) {
    show_folded(fmt::format("     hunks: {}\n", visible_line(dump_json(hunks))));
  }
  if (const auto ms = call.find("estimatedDurationMs"); ms != call.end() && ms->is_number()) {
    show_folded(fmt::format("     takes about {}\n", human_ms(ms->get<std::int64_t>())));
  }
  print_rule(call);
}

/// What became of the call, where that is another than what was asked.
void print_decision_of(const Json& call, const ApprovalDecision& decision, std::string_view key) {
  for (const CallDecision& made : decision.calls) {
    if (made.n != call["n"].get<int>()) continue;
    show_folded(fmt::format("     {}\n", made.approved ? "approved" : "denied"));
    if (made.modified_arguments) {
      Json changed = call;
      changed["arguments"] = *made.modified_arguments;
      show_folded("     with other arguments than those above:\n");
      print_block(dump_json(arguments_to_show(changed, key), 2));
    }
    if (!made.hunks.empty()) {
      show_folded(
          fmt::format("     these hunks alone: {}\n", visible_line(dump_json(Json(made.hunks)))));
    }
  }
}

std::string age_text(const Json& request, WallTime now) {
  const auto created = parse_rfc3339(string_member(request, "createdAt"));
  const auto expires = parse_rfc3339(string_member(request, "expiresAt"));
  std::string text =
      created ? "waits for " + human_duration(std::max(now - *created, Duration())) : "waits";
  if (expires && *expires <= now) return text + ", has expired";
  if (expires) text += ", expires in " + human_duration(*expires - now);
  return text;
}

void print_approval(const ListedApproval& one, std::string_view key, WallTime now) {
  if (!one.request.is_object()) {
    show_folded(
        fmt::format("{}  damaged: {}\n", one_line(one.id, 200), shown_line(one.problem, 500)));
    return;
  }
  std::string state = age_text(one.request, now);
  if (one.decision) {
    state = fmt::format("{} by {} at {}", changed_outcome_text(*one.decision),
                        shown_line(one.decision->by.empty() ? "somebody" : one.decision->by, 60),
                        format_rfc3339(one.decision->decided_at));
    if (!one.decision->reason.empty()) state += ": " + shown_line(one.decision->reason, 200);
  }
  show_folded(fmt::format("{}  {}\n", one_line(one.id, 200), state));
  show_folded(fmt::format("  run {}, thread {}, scenario {}\n",
                          shown_line(string_member(one.request, "run"), 100),
                          shown_line(string_member(one.request, "thread"), 100),
                          shown_line(string_member(one.request, "scenario"), 100)));
  if (!one.problem.empty()) show_folded(fmt::format("  {}\n", shown_line(one.problem, 500)));
  for (const Json& call : one.request["calls"]) {
    print_call(call, key);
    if (one.decision) print_decision_of(call, *one.decision, key);
  }
  if (one.decision) return;
  const std::string id = shell_word(one.id);
  show_folded(
      fmt::format("  filecall approve {}    or    filecall deny {} --reason WHY\n", id, id));
}

Json approval_json(const ListedApproval& one, std::string_view key) {
  Json json = {{"id", one.id},
               {"state", one.decision              ? "decided"
                         : one.request.is_object() ? "waiting"
                                                   : "damaged"}};
  if (one.request.is_object()) json["request"] = one.request;
  if (one.decision) json["decision"] = decision_to_show(*one.decision);
  if (!one.problem.empty()) json["problem"] = one.problem;
  hide_secrets(json, key);
  return json;
}

Result<int> list_approvals(const Arguments& arguments) {
  TRY_ASSIGN(
      const spool::Root root,
      spool::Root::open(chosen_root(arguments),
                        {.allow_shared = arguments.has("allow-shared-root"), .create = false}));
  TRY_ASSIGN(const ApprovalFiles files, ApprovalFiles::open(root.layout(), false));
  const bool is_one = !arguments.words().empty();
  TRY_ASSIGN(std::vector<ListedApproval> listed, files.list(arguments.has("all") || is_one));
  if (is_one) {
    const std::string& id = arguments.words()[0];
    std::erase_if(listed, [&id](const ListedApproval& one) { return one.id != id; });
    if (listed.empty()) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{}: no such approval; 'filecall approvals --all' lists them",
                              one_line(id, 100)));
    }
  }
  for (ListedApproval& one : listed) {
    if (one.problem.empty()) one.problem = altered_request_text(root.layout(), one.request);
  }
  TRY_ASSIGN(const std::string key, files.key());
  if (arguments.has("json")) {
    Json json = {{"approvals", Json::array()}};
    for (const ListedApproval& one : listed) json["approvals"].push_back(approval_json(one, key));
    print_json(json);
    return kExitSuccess;
  }
  if (listed.empty()) {
    print("Nothing waits for a decision.\n");
    return kExitSuccess;
  }
  for (const ListedApproval& one : listed) print_approval(one, key, wall_now());
  return kExitSuccess;
}

}  // namespace

int approvals_command(const Arguments& arguments) {
  const auto code = list_approvals(arguments);
  return code ? *code : report_error(code.error());
}

}  // namespace filecall::client
