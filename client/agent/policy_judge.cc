// SPDX-License-Identifier: MIT
#include "client/agent/policy_judge.h"

#include <fmt/core.h>

#include "client/agent/core/agent_ids.h"
#include "client/agent/core/call_route.h"
#include "client/agent/core/record_member.h"
#include "client/agent/plan/loop_guard.h"
#include "client/agent/plan/plan_text.h"
#include "client/agent/plan/report_check.h"
#include "client/agent/preview_text.h"
#include "client/approval/core/bundle.h"
#include "client/approval/led_paths.h"

namespace filecall::client {
namespace {

/// A decision may be made for so long.
constexpr Duration kApprovalValid = std::chrono::hours(24 * 7);

/// Providers know functions by other letters than tools have.
Json with_tool_names(Json data, const ToolCatalog& catalog) {
  if (!value_at(data, "tool_calls").is_array()) return data;
  for (Json& call : data["tool_calls"]) {
    if (call.is_object()) call["name"] = catalog.tool_of_function(text_at(call, "name"));
  }
  return data;
}

std::string key_of_step(const AgentStep& step) {
  std::vector<LoopStep> calls;
  for (const AgentCall& call : step.calls) {
    calls.push_back({call.tool, call.args, call.status + call.result_digest + call.message});
  }
  return loop_key(calls);
}

}  // namespace

const Policy& PolicyJudge::policy_of(const AgentState& state) const {
  const auto& rules = state.granted_rules();
  if (rules.empty()) return policy_;
  if (granted_ && granted_count_ == rules.size()) return *granted_;
  Policy policy = policy_;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    auto more = policy.with({"the approvals of this thread", rules[i], PolicyText::Kind::kStored});
    // A rule that does not read allows nothing.
    if (more) policy = std::move(*more);
  }
  granted_ = std::move(policy);
  granted_count_ = rules.size();
  return *granted_;
}

CallToDecide PolicyJudge::call_of(const CallFacts& facts, const AgentState& state) const {
  CallToDecide call;
  call.tool = facts.tool;
  call.args = facts.args;
  call.has_effects = facts.has_effects;
  call.catalog_risk = facts.catalog_risk;
  const RunBranch& branch = state.branch();
  const bool has_files = is_of_files(facts.tool);
  call.working_directory = working_directory_;
  if (has_files && !file_directory_.empty()) call.working_directory = file_directory_;
  if (branch.is_ready()) call.working_directory = branch.directory;
  if (call.working_directory != working_directory_) call.project = working_directory_;
  call.tool_directory = branch.is_ready() ? branch.directory : tool_directory_;
  if (has_files) call.led_paths = led_paths(call.args, call.working_directory);
  call.own_files = own_files_;
  call.sandbox = sandbox_;
  call.scenario = state.settings().scenario;
  call.thread = thread_;
  call.run = run_;
  call.args_from_outside = facts.args_from_outside;
  if (facts.preview.is_object()) call.preview = facts.preview;
  if (facts.impact.is_object()) call.impact = facts.impact;
  call.impact_error = facts.impact_error;
  call.now = facts.now;
  return call;
}

Ruling PolicyJudge::decide(const CallFacts& facts, const AgentState& state) const {
  const Verdict verdict = policy_of(state).decide(call_of(facts, state));
  Ruling ruling;
  ruling.decision = std::string(to_string(verdict.decision));
  ruling.risk = std::string(to_string(verdict.risk));
  if (!verdict.rule.empty()) {
    ruling.rule = fmt::format("{} ({}, line {})", verdict.rule, verdict.file, verdict.line);
  }
  ruling.reasons = verdict.reasons;
  ruling.deny_reason = verdict.deny_reason;
  return ruling;
}

Json PolicyJudge::approval_request(const std::string& id, const std::vector<ShownCall>& calls,
                                   const AgentState& state, WallTime now) const {
  Bundle bundle;
  bundle.id = id;
  bundle.run = run_;
  bundle.thread = thread_;
  bundle.scenario = state.settings().scenario;
  bundle.policy_digest = state.settings().policy_digest;
  bundle.scenario_digest = state.settings().scenario_digest;
  bundle.created_at = now;
  bundle.expires_at = now + kApprovalValid;
  for (const ShownCall& shown : calls) {
    BundleCall one;
    one.n = shown.call->n;
    one.id = agent_ids::call(run_, state.step()->number, one.n);
    one.call = call_of(shown.facts, state);
    one.verdict = policy_of(state).decide(one.call);
    one.description = shown.description;
    one.preview_text = preview_text(*shown.call);
    if (state.branch().is_ready() && !one.preview_text.empty()) {
      one.preview_text = fmt::format("in {}, branch {}\n{}", state.branch().path,
                                     state.branch().name, one.preview_text);
    }
    one.hunks = preview_hunks(*shown.call);
    if (estimates_ != nullptr) {
      const auto route = call_route(*shown.call, state.settings().editing);
      if (route) one.estimated_duration_ms = estimates_->median_ms(route->command);
    }
    bundle.calls.push_back(std::move(one));
  }
  return bundle_request(bundle);
}

PlanReading PolicyJudge::read_plan(const Json& data, const AgentSettings& settings,
                                   const ToolCatalog& catalog) const {
  PlanRules rules;
  for (const CatalogTool* tool : catalog.shown()) rules.tools.push_back(tool->name);
  rules.commentary_characters = static_cast<std::size_t>(settings.commentary_characters);
  PlanReading reading;
  reading.excerpt = text_at(data, "text");
  auto plan = settings.planner == Planner::kTools
                  ? read_tool_plan(with_tool_names(data, catalog), rules)
                  : read_json_answer(data, rules);
  if (!plan) {
    const PlanFault& fault = plan.error();
    reading.rule = fault.rule;
    reading.message = fault.message;
    reading.line = static_cast<std::int64_t>(fault.line);
    reading.column = static_cast<std::int64_t>(fault.column);
    return reading;
  }
  reading.is_plan = true;
  reading.commentary = std::move(plan->commentary);
  for (PlannedCall& call : plan->calls) {
    reading.calls.push_back({{"tool", std::move(call.tool)}, {"args", std::move(call.args)}});
  }
  reading.is_done = plan->done;
  reading.summary = std::move(plan->summary);
  reading.notes = std::move(plan->notes);
  return reading;
}

std::vector<std::string> PolicyJudge::unsupported(std::string_view report,
                                                  const std::vector<std::string>& texts) const {
  std::vector<std::string> known;
  for (const std::string& text : texts) {
    known.push_back(text);
    // A text in a result stands there with escapes.
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_structured()) continue;
    for (std::string& one : texts_of(json)) known.push_back(std::move(one));
  }
  return unsupported_claims(report, known);
}

AgentJudge::Progress PolicyJudge::progress(const std::vector<AgentStep>& steps,
                                           std::string& why) const {
  LoopGuard guard;
  LoopGuard::Verdict verdict;
  for (const AgentStep& step : steps) verdict = guard.add(key_of_step(step));
  why = verdict.text;
  if (verdict.kind == LoopGuard::Kind::kEnd) return Progress::kEnd;
  return verdict.kind == LoopGuard::Kind::kWarn ? Progress::kWarn : Progress::kFine;
}

}  // namespace filecall::client
