// SPDX-License-Identifier: MIT
#include "client/cli/agent_view.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/count_text.h"
#include "base/shell_word.h"
#include "base/visible_text.h"
#include "client/agent/core/record_member.h"
#include "client/approval/core/shown_approval.h"
#include "client/cli/output.h"
#include "client/report/markdown_lines.h"
#include "client/report/text_layout.h"
#include "spool/group_root.h"

namespace filecall::client {
namespace {

constexpr std::size_t kArgsColumns = 160;

std::string plan_line(const Json& data, const AgentState& state) {
  // The plan was cut to the scenario's limit; this bounds what a line shows whatever a log holds.
  const auto columns = static_cast<std::size_t>(state.settings().commentary_characters);
  std::string text = fmt::format("step {}: {}", number_at(data, "step"),
                                 one_line(text_at(data, "commentary"), columns));
  if (flag_at(data, "done") && value_at(data, "calls").empty()) text += " (done)";
  // How the answer was taken otherwise than it was written.
  for (const std::string& note : texts_at(data, "notes")) {
    text += "\n  note: " + one_line(note, 300);
  }
  return text;
}

std::string begun_line(const Json& data) {
  return fmt::format(
      "  {}. {} {}", number_at(data, "n"), text_at(data, "tool"),
      one_line(dump_json(arguments_to_show(text_at(data, "tool"), value_at(data, "args"), "")),
               kArgsColumns));
}

std::string ended_line(const Json& data) {
  const std::string status = text_at(data, "status");
  std::string text = fmt::format("  {}. {}", number_at(data, "n"), status);
  if (const std::int64_t code = number_at(data, "exit_code"); code != 0) {
    text += fmt::format(", exit code {}", code);
  } else if (!value_at(data, "signal").is_null()) {
    text += ", ended by a signal";
  }
  if (status != "success") text += ": " + one_line(text_at(data, "message"), 300);
  const std::int64_t bytes = number_at(data, "bytes");
  if (status == "success" && bytes > 0) {
    text += fmt::format(" ({})", human_bytes(static_cast<std::uint64_t>(bytes)));
  }
  for (const std::string& file : texts_at(data, "files"))
    text += "\n     changed " + one_line(file, 200);
  return text;
}

/// What a person made of the call that the model planned.
std::string alterations(const Json& decision, const AgentState& state) {
  std::string text;
  if (decision.contains("args")) {
    const std::int64_t n = number_at(decision, "n");
    std::string tool;
    if (const AgentStep* step = state.step()) {
      for (const AgentCall& call : step->calls) {
        if (call.n == n) tool = call.tool;
      }
    }
    const Json shown = arguments_to_show(tool, value_at(decision, "args"), "");
    text += " with altered arguments: " + one_line(visible_line(dump_json(shown)), kArgsColumns);
  }
  return text + (decision.contains("hunks") ? ", some hunks alone" : "");
}

std::string decided_line(const Json& data, const AgentState& state) {
  std::string text = fmt::format("approval {}: ", text_at(data, "approval"));
  std::string list;
  for (const Json& one : value_at(data, "decisions")) {
    list += fmt::format("{}call {} {}", list.empty() ? "" : ", ", number_at(one, "n"),
                        flag_at(one, "approved") ? "approved" : "denied");
    if (flag_at(one, "approved")) list += alterations(one, state);
    const std::string reason = text_at(one, "reason");
    if (!flag_at(one, "approved") && !reason.empty()) list += " (" + one_line(reason, 200) + ")";
  }
  const std::string by = text_at(data, "by");
  return text + list + (by.empty() ? "" : ", by " + one_line(by, 80));
}

std::string branch_line(const Json& data, const AgentState& state) {
  const std::string what = text_at(data, "what");
  const RunBranch& branch = state.branch();
  if (what == "look" && !branch.why_not.empty()) {
    return fmt::format("no branch: {}; changes are proposed instead",
                       one_line(branch.why_not, 300));
  }
  if (what == "worktree" && branch.is_ready()) {
    return fmt::format("branch {}, worktree {}", branch.name, branch.path);
  }
  if (what != "merge") return {};
  if (!branch.merge_error.empty()) return "merge preview: " + one_line(branch.merge_error, 300);
  return fmt::format("merge preview: {}", merge_summary_text(branch));
}

}  // namespace

std::string merge_summary_text(const RunBranch& branch) {
  const std::string result = text_at(branch.merge, "result");
  const auto conflicts = static_cast<std::int64_t>(value_at(branch.merge, "conflicts").size());
  const auto files = static_cast<std::int64_t>(value_at(branch.merge, "changes").size());
  if (result == "up_to_date") return fmt::format("{} has all of it", branch.ours);
  if (result == "conflicts") {
    return fmt::format("{} into {}", counted_noun(conflicts, "conflict"), branch.ours);
  }
  return fmt::format("{} into {}, {}",
                     result == "merge" ? "a merge without conflicts" : "a fast-forward",
                     branch.ours, counted_noun(files, "file"));
}

std::string agent_line(const AgentRecord& record, const AgentState& state) {
  const Json& data = record.data;
  const std::string& type = record.type;
  if (type == "run.begun") return "goal: " + one_line(text_at(data, "goal"), 300);
  if (type == "plan.answered") return plan_line(data, state);
  if (type == "plan.rejected") {
    return fmt::format("step {}: the answer was no plan: {}", number_at(data, "step"),
                       one_line(text_at(data, "message"), 300));
  }
  if (type == "plan.failed" || type == "report.failed") {
    return "the model failed: " + one_line(text_at(data, "error_message"), 300);
  }
  if (type == "call.begun") return begun_line(data);
  if (type == "call.ended") return ended_line(data);
  if (type == "call.skipped") {
    const std::string reason = one_line(text_at(data, "reason"), 300);
    return fmt::format("  {}. {}{}{}", number_at(data, "n"),
                       text_at(data, "kind") == "denied" ? "denied" : "not run",
                       reason.empty() ? "" : ": ", reason);
  }
  if (type == "checks.planned") return "  programs have changed files: the checks run";
  if (type == "branch.answered") return branch_line(data, state);
  if (type == "approval.asked") {
    return fmt::format(
        "approval {} is awaited: {}", text_at(data, "approval"),
        counted_noun(static_cast<std::int64_t>(value_at(data, "calls").size()), "call"));
  }
  if (type == "approval.decided") return decided_line(data, state);
  if (type == "approval.stale") {
    return fmt::format("approval {} is stale: {}", text_at(data, "approval"), text_at(data, "why"));
  }
  if (type == "run.budgets") {
    return fmt::format(
        "{}: {}",
        flag_at(data, "continues") ? "it goes on with other budgets" : "the budgets are others now",
        dump_json(value_at(data, "budgets")));
  }
  if (type == "steer") return "steered: " + one_line(text_at(data, "text"), 300);
  if (type == "guard.warned") return "no progress: " + one_line(text_at(data, "text"), 300);
  if (type == "context.summarised") {
    return fmt::format("steps up to {} are summarised for the model",
                       number_at(data, "through_step"));
  }
  if (type == "todo.written") {
    return fmt::format(
        "the list has {}",
        counted_noun(static_cast<std::int64_t>(value_at(data, "items").size()), "thing"));
  }
  return {};
}

void AgentView::line(const std::string& run, const std::string& text) {
  if (text.empty() || options_.is_quiet) return;
  const std::string whole = options_.names_runs ? run + ": " + text + "\n" : text + "\n";
  if (options_.to_error) {
    print_note(whole);
  } else {
    print_folded(whole, "  | ");
  }
}

void AgentView::on_record(const std::string& run, const AgentRecord& record,
                          const AgentState& state) {
  if (record.type.starts_with("plan.") && record.type != "plan.asked") stream_.finish("");
  if (record.type == "report.answered") {
    has_shown_report_ = stream_.finish(text_at(record.data, "text"));
  } else if (record.type == "report.failed") {
    stream_.finish("");
  }
  line(run, agent_line(record, state));
}

void AgentView::on_model_asked(const std::string& request_id) {
  if (!wants_stream()) return;
  stream_.follow(spool::layout_of(options_.streams_from).events(request_id),
                 request_id.find(".report") != std::string::npos);
}

void AgentView::on_notice(const std::string& text) {
  if (!options_.is_quiet) print_error(text);
}

std::string agent_branch_text(const RunBranch& branch) {
  if (!branch.is_ready()) return {};
  std::string text =
      fmt::format("\nBranch {}: {}", branch.name,
                  counted_noun(static_cast<std::int64_t>(branch.commits.size()), "commit"));
  if (branch.merge.is_object()) text += "; merged it is " + merge_summary_text(branch);
  text += '\n';
  if (!branch.problem.empty()) text += "  " + one_line(branch.problem, 300) + "\n";
  for (const std::string& path : branch.uncommitted) {
    text += "  in no commit: " + one_line(path, 200) + "\n";
  }
  for (const std::string& path : branch.untracked) {
    text += "  left by programs, in no commit: " + one_line(path, 200) + "\n";
  }
  if (branch.has_unseen) {
    text +=
        "  it ended before what its last programs changed was looked at: see 'git status' there\n";
  }
  if (!branch.uncommitted.empty() || !branch.untracked.empty()) {
    text += "  remove takes away what is in no commit, too\n";
  }
  for (const RunBranch::Next& next : branch.next_commands()) {
    text += fmt::format("  {:<7} {}\n", next.what, next.command);
  }
  return text;
}

std::string agent_end_text(const std::string& run, const AgentState& state, ReportForm form) {
  std::string text;
  if (!state.report().empty() && form != ReportForm::kShown) {
    text += "\n" + quoted_lines(form == ReportForm::kMarkdown ? markdown_text(state.report())
                                                              : without_controls(state.report()),
                                kQuoteMark);
  }
  if (!state.unsupported().empty()) {
    text += "\nNot found in any result:\n";
    for (const std::string& claim : state.unsupported()) text += "  " + one_line(claim, 200) + "\n";
  }
  if (!state.is_over()) return text;
  text += agent_branch_text(state.branch());
  if (!state.damage().empty()) {
    text += fmt::format(
        "\nIts records are damaged: the figures are of those that could be read.\n  {}\n",
        one_line(state.damage(), 300));
  } else if (!state.branch().is_ready() && !state.knows_files_changed()) {
    text += "\nPrograms ran: which files they changed is not known.\n";
  }
  text += fmt::format("\n{}: {}", run, to_string(state.end()));
  if (!state.end_reason().empty()) text += ": " + one_line(state.end_reason(), 300);
  if (state.checks() == "failed") text += "; the last checks failed";
  if (state.checks() == "not_run") text += "; the last checks were not run";
  text += fmt::format("; {}, {}, {}, {}", counted_noun(state.step_count(), "step"),
                      counted_noun(state.calls(), "call"), counted_noun(state.writes(), "write"),
                      counted_noun(state.tokens(), "token"));
  if (state.is_cost_known() && state.cost() > 0) text += ", " + human_cost(state.cost());
  return text + "\n";
}

}  // namespace filecall::client
