// SPDX-License-Identifier: MIT
#include "client/agent/core/prompt.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/agent/core/agent_ids.h"
#include "client/agent/core/prompt_text.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kExcerptBytes = 2048;

void add_message(Json& messages, const char* role, std::string text) {
  // Providers want the roles to alternate.
  if (!messages.empty() && messages.back()["role"] == role &&
      !messages.back().contains("tool_calls")) {
    Json& content = messages.back()["content"];
    content = content.get<std::string>() + "\n" + text;
    return;
  }
  messages.push_back({{"role", role}, {"content", std::move(text)}});
}

std::string call_id(const AgentStep& step, const AgentCall& call) {
  return fmt::format("s{}_c{}", step.number, call.n);
}

std::string one_line_of(const AgentCall& call) {
  return fmt::format(
      "{} {}: {}", call.tool, dump_json(bounded_value(call.args, 200)),
      call.message.empty() ? call.status : fmt::format("{} ({})", call.status, call.message));
}

}  // namespace

void set_model(Json& params, const std::string& model) {
  if (model.empty()) return;
  const std::size_t slash = model.find('/');
  if (slash == std::string::npos) {
    params["model"] = model;
    return;
  }
  params["provider"] = model.substr(0, slash);
  params["model"] = model.substr(slash + 1);
}

std::size_t PromptBuilder::bytes_max() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(state_.settings().context_tokens, 1)) *
         kBytesPerToken;
}

std::string PromptBuilder::system_text() const {
  const AgentSettings& settings = state_.settings();
  std::string text = settings.instructions;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += kDataRule;
  text += fmt::format(kCommentaryRule, settings.commentary_characters);
  if (state_.branch().is_ready()) text += kBranchRule;
  if (settings.editing == Editing::kProposal) text += kProposalRule;
  if (settings.planner == Planner::kTools) return text + std::string(kNativeRule);
  text += kJsonRule;
  text += "The tools, with the JSON Schema of their args:\n";
  text += catalog_.shown_text();
  return text;
}

std::string PromptBuilder::goal_text() const {
  std::string text;
  const AgentSettings& settings = state_.settings();
  for (const Json& message : settings.earlier) {
    if (text.empty()) text = "What was said in this thread before:\n";
    text += fmt::format("{}: {}\n", text_at(message, "role"), text_at(message, "text"));
  }
  return text + (text.empty() ? "" : "\n") + "Goal: " + settings.goal;
}

std::string PromptBuilder::result_of(const AgentCall& call, std::size_t bytes) const {
  if (call.has_succeeded() || call.has_failed()) {
    const std::string whole =
        call.request_id.empty() ? std::string() : fmt::format("responses/{}.json", call.request_id);
    std::string text = fmt::format("{}: {}\n", call.tool, call.status);
    if (call.approved && !call.modified_args.is_null()) {
      text += "A person changed the arguments to " +
              dump_json(bounded_value(call.modified_args, bytes)) + "\n";
    }
    if (call.approved && !call.decision_reason.empty()) {
      text += "The person says: " + bounded_text(call.decision_reason, bytes, "") + "\n";
    }
    if (call.approved && call.hunks.is_array() && !call.hunks.empty()) {
      text += fmt::format("Of its hunks a person chose {}.\n", dump_json(call.hunks));
    }
    return text + fenced_data(bounded_text(call.result, bytes, whole));
  }
  if (!call.is_settled()) return fmt::format("{}: has not ended\n", call.tool);
  return fmt::format("{}: {}{}\n", call.tool, call.status == "denied" ? "denied" : "was not run",
                     call.message.empty() ? "" : ": " + bounded_text(call.message, bytes, ""));
}

std::string PromptBuilder::notes_after(std::int64_t step) const {
  std::string text;
  for (const SteerText& warning : state_.warnings()) {
    if (warning.after_step == step) text += "Note: " + warning.text + "\n";
  }
  for (const SteerText& steer : state_.steers()) {
    if (steer.after_step == step) text += "The person says: " + steer.text + "\n";
  }
  return text;
}

void PromptBuilder::add_native_step(Json& messages, const AgentStep& step,
                                    std::size_t bytes) const {
  Json calls = Json::array();
  for (const AgentCall& call : step.calls) {
    const CatalogTool* tool = catalog_.find_any(call.tool);
    calls.push_back({{"id", call_id(step, call)},
                     {"type", "function"},
                     {"function",
                      {{"name", tool == nullptr ? call.tool : tool->function_name()},
                       {"arguments", dump_json(bounded_value(call.args, bytes))}}}});
  }
  Json message = {{"role", "assistant"}, {"content", step.commentary}};
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  messages.push_back(std::move(message));
  for (const AgentCall& call : step.calls) {
    messages.push_back({{"role", "tool"},
                        {"tool_call_id", call_id(step, call)},
                        {"content", result_of(call, bytes)}});
  }
}

void PromptBuilder::add_step(Json& messages, const AgentStep& step, bool is_native,
                             std::size_t bytes) const {
  if (is_native && !step.calls.empty()) {
    add_native_step(messages, step, bytes);
  } else {
    Json plan = {
        {"commentary", step.commentary}, {"actions", Json::array()}, {"done", step.is_done}};
    for (const AgentCall& call : step.calls) {
      plan["actions"].push_back({{"tool", call.tool}, {"args", bounded_value(call.args, bytes)}});
    }
    if (!step.summary.empty()) plan["finalSummary"] = bounded_text(step.summary, bytes, "");
    add_message(messages, "assistant", dump_json(plan));
    std::string results = fmt::format("Results of step {}:\n", step.number);
    for (const AgentCall& call : step.calls) {
      results += fmt::format("{}. {}", call.n, result_of(call, bytes));
    }
    add_message(messages, "user", std::move(results));
  }
  const std::string notes = notes_after(step.number);
  if (!notes.empty()) add_message(messages, "user", notes);
}

void PromptBuilder::add_corrections(Json& messages) const {
  const AgentStep* step = state_.step();
  if (step == nullptr || step->is_planned) return;
  for (const RejectedPlan& rejected : step->rejected) {
    add_message(
        messages, "assistant",
        rejected.excerpt.empty() ? "(no text)" : bounded_text(rejected.excerpt, kExcerptBytes, ""));
    add_message(messages, "user",
                "This answer was not taken: " + rejected.message + "\nAnswer again.");
  }
}

Json PromptBuilder::messages(bool is_report, std::size_t result_bytes) const {
  Json messages = Json::array();
  messages.push_back({{"role", "system"}, {"content", system_text()}});
  add_message(messages, "user", goal_text());
  if (!state_.summary().empty()) add_message(messages, "user", state_.summary());
  const std::string first_notes = notes_after(0);
  if (!first_notes.empty()) add_message(messages, "user", first_notes);
  const bool is_native = state_.settings().planner == Planner::kTools && !is_report;
  for (const AgentStep& step : state_.steps()) {
    if (step.number <= state_.summarised_steps() || !step.is_planned) continue;
    add_step(messages, step, is_native, result_bytes);
  }
  if (!is_report) {
    add_corrections(messages);
    return messages;
  }
  messages[0]["content"] = state_.settings().instructions + "\n" + std::string(kDataRule);
  std::string ask;
  if (state_.branch().is_ready()) {
    ask = "What became of the run's branch:\n" + fenced_data(branch_text(state_.branch()));
  }
  ask += kReportRule;
  if (!state_.settings().report_instructions.empty()) {
    ask += state_.settings().report_instructions + "\n";
  }
  add_message(messages, "user", std::move(ask));
  return messages;
}

Result<Json> PromptBuilder::params(bool is_report) const {
  Json params = Json::object();
  const bool has_tools = !is_report && state_.settings().planner == Planner::kTools;
  if (has_tools) params["tools"] = catalog_.functions();
  const auto& models = state_.settings().models;
  if (!models.empty()) set_model(params, models[std::min(state_.model(), models.size() - 1)]);
  for (std::size_t bytes = kResultBytesMax; bytes >= 64; bytes /= 2) {
    Json all = messages(is_report, bytes);
    if (!fits_in_json({&params, &all}, bytes_max())) continue;
    params["messages"] = std::move(all);
    return params;
  }
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("context_tokens {}: instructions, tools and goal are larger; choose "
                          "fewer tools in the scenario, or a larger context_tokens",
                          state_.settings().context_tokens));
}

Result<Json> PromptBuilder::plan_params() const { return params(false); }
Result<Json> PromptBuilder::report_params() const { return params(true); }

std::string PromptBuilder::summary_of(std::int64_t through_step) const {
  // Each step gets its share; the first ones are the first to be shortened.
  const std::size_t room = bytes_max() / 8;
  std::string text =
      fmt::format("Steps 1 to {} in short (the whole is in the log):\n", through_step);
  std::vector<std::string> lines;
  for (const AgentStep& step : state_.steps()) {
    if (step.number > through_step || !step.is_planned) continue;
    std::string line = fmt::format("{}. {}", step.number, step.commentary);
    for (const AgentCall& call : step.calls) line += "; " + one_line_of(call);
    lines.push_back(line + "\n" + notes_after(step.number));
  }
  std::size_t size = 0;
  std::size_t first = lines.size();
  while (first > 0 && size + lines[first - 1].size() <= room) size += lines[--first].size();
  if (first > 0) text += fmt::format("({} earlier steps left out)\n", first);
  for (std::size_t i = first; i < lines.size(); ++i) text += lines[i];
  return text + notes_after(0);
}

std::int64_t PromptBuilder::steps_to_summarise() const {
  const std::size_t last = state_.steps().size();
  if (last < 2) return 0;
  const auto messages_after = [&](std::int64_t after) {
    Json messages = Json::array();
    for (const AgentStep& step : state_.steps()) {
      if (step.number <= after || !step.is_planned) continue;
      add_step(messages, step, state_.settings().planner == Planner::kTools, kResultBytesMax);
    }
    return messages;
  };
  Json beside = {system_text(), goal_text()};
  if (state_.settings().planner == Planner::kTools) beside.push_back(catalog_.functions());
  const std::size_t summary = state_.summary().size() + 1024;
  const std::int64_t done = state_.summarised_steps();
  const Json all = messages_after(done);
  if (summary <= bytes_max() && fits_in_json({&beside, &all}, bytes_max() - summary)) return 0;
  const std::size_t size_beside = summary + json_bytes(beside);
  const auto size_after = [&](std::int64_t after) {
    return size_beside + json_bytes(messages_after(after));
  };
  // To three fifths, so that it is not done at every step; the last step always stays whole.
  const std::size_t room = bytes_max() * 3 / 5;
  const std::int64_t final_step = static_cast<std::int64_t>(last) - 1;
  std::int64_t through = done + 1;
  while (through < final_step && size_after(through) > room) ++through;
  return through <= final_step && through > done ? through : 0;
}

}  // namespace filecall::client
