// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_advance.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/agent/core/agent_ids.h"
#include "client/agent/core/branch_route.h"
#include "client/agent/core/budget_check.h"
#include "client/agent/core/call_facts.h"
#include "client/agent/core/own_call.h"
#include "client/agent/core/prompt.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"
#include "client/agent/core/run_result.h"
#include "client/agent/core/skipped_call.h"

namespace filecall::client {
namespace {

/// Answers that are no plan, before the run ends.
constexpr std::size_t kRejectedMax = 3;

Json at(const AgentStep& step, const AgentCall& call) {
  return {{"step", step.number}, {"n", call.n}};
}

}  // namespace

std::vector<AgentRecord> AgentAdvance::next() const {
  if (!state_.has_begun() || state_.is_over() || state_.is_parked()) return {};
  // What follows a hole is not known: a call may have been made, a plan may be another one.
  if (!state_.damage().empty()) return end(AgentEnd::kFailed, "data_loss: " + state_.damage());
  if (state_.branch().open) return {};
  Records records = course();
  const bool is_end = !records.empty() && records.back().type == "run.ended";
  if (!is_end || !state_.branch().is_ready() || state_.ending() != AgentEnd::kNone ||
      state_.is_cancelled() || state_.has_report()) {
    return records;
  }
  // What the run has changed is committed and compared first.
  return {{"run.ending", std::move(records.back().data)}};
}

std::vector<AgentRecord> AgentAdvance::course() const {
  const AgentStep* step = state_.step();
  if (state_.is_cancelled()) {
    // What was begun is waited for: what became of it is known then.
    if (step != nullptr) {
      for (const AgentCall& call : step->calls) {
        if (!call.request_id.empty() && !call.is_settled()) return {};
      }
      if (Records records = skipped_rest(*step, "the run was cancelled"); !records.empty()) {
        return records;
      }
    }
    return end(AgentEnd::kCancelled, "it was cancelled");
  }
  if (state_.has_report()) return end(AgentEnd::kDone, "");
  if (!state_.report_request().empty()) return {};
  if (state_.branch().is_being_made()) return branch().set_up();
  if (state_.ending() != AgentEnd::kNone) return finish();
  if (auto why = unknown_cost(state_); !why.empty()) return end(AgentEnd::kFailed, why);
  if (step == nullptr) return plan_next();
  if (!step->is_planned) return step->plan_request.empty() ? plan_next() : Records{};
  return run_step(*step);
}

AgentAdvance::Records AgentAdvance::finish() const {
  const AgentStep* step = state_.step();
  if (step != nullptr && step->is_planned) {
    Records records = skipped_rest(*step, state_.ending_reason());
    if (!records.empty()) return records;
    if (step->has_calls_left()) return run_step(*step);
    records = branch().commit(*step);
    if (!records.empty()) return records;
  }
  Records records = branch().preview_merge();
  return records.empty() ? end(state_.ending(), state_.ending_reason()) : records;
}

AgentAdvance::Records AgentAdvance::run_step(const AgentStep& step) const {
  if (Records records = decide(step); !records.empty()) return records;
  const bool has_writes = std::any_of(step.calls.begin(), step.calls.end(),
                                      [&](const AgentCall& call) { return has_effects(call); });
  if (has_writes && step.approval.empty()) {
    if (Records records = skipped_behind_failure(step); !records.empty()) return records;
  }
  if (Records records = preview(step); !records.empty()) return records;
  if (Records records = impact(step); !records.empty()) return records;
  const auto awaits_answer = [](const AgentCall& call) { return call.awaits_answer(); };
  if (std::any_of(step.calls.begin(), step.calls.end(), awaits_answer)) return {};
  const bool needs_approval =
      std::any_of(step.calls.begin(), step.calls.end(), [](const AgentCall& call) {
        return call.decision == "prompt" && !call.is_settled() && !call.approved;
      });
  if (needs_approval && step.approval.empty()) return approve(step);
  if (needs_approval) return {};
  if (step.has_calls_left()) return execute(step);
  return close(step);
}

AgentAdvance::Records AgentAdvance::end(AgentEnd end, const std::string& reason) const {
  Records records;
  records.push_back({"run.ended", {{"status", std::string(to_string(end))}, {"reason", reason}}});
  return records;
}

AgentAdvance::Records AgentAdvance::plan_next() const {
  const AgentStep* last = state_.step();
  const bool is_new = last == nullptr || last->is_planned;
  const std::size_t models = std::max<std::size_t>(state_.settings().models.size(), 1);
  if (state_.model() >= models) {
    return end(AgentEnd::kFailed, "no model of the chain answered");
  }
  if (!is_new && last->rejected.size() >= kRejectedMax) {
    return end(AgentEnd::kFailed,
               "no answer was a plan; the last one: " + last->rejected.back().message);
  }
  if (is_new) {
    const std::string over = over_budget_of_plans(state_, now_);
    if (!over.empty()) return end(AgentEnd::kBudget, over);
  }
  const PromptBuilder prompt(state_, catalog_);
  Records records;
  if (const std::int64_t through = is_new ? prompt.steps_to_summarise() : 0; through > 0) {
    records.push_back(
        {"context.summarised", {{"through_step", through}, {"text", prompt.summary_of(through)}}});
    return records;
  }
  if (const auto params = prompt.plan_params(); !params) {
    return end(AgentEnd::kFailed, params.error().message);
  }
  const std::int64_t number =
      is_new ? static_cast<std::int64_t>(state_.steps().size()) + 1 : last->number;
  const int turn = is_new ? 1 : static_cast<int>(last->rejected.size()) + 1;
  const auto& chain = state_.settings().models;
  records.push_back({"plan.asked",
                     {{"step", number},
                      {"turn", turn},
                      {"request_id", agent_ids::plan(run_, number, turn, state_.model())},
                      {"model", chain.empty() ? "" : chain[state_.model()]},
                      {"chain", state_.model()}}});
  return records;
}

bool AgentAdvance::has_effects(const AgentCall& call) const {
  return has_call_effects(call, state_, catalog_);
}

CallFacts AgentAdvance::facts_of(const AgentCall& call) const {
  return call_facts(call, state_, catalog_, now_);
}

std::string AgentAdvance::fault_of(const AgentCall& call, const CatalogTool* tool) const {
  if (tool == nullptr) return "there is no such tool";
  std::string wrong = catalog_.check(*tool, call.args);
  if (!wrong.empty() || !state_.branch().is_ready()) return wrong;
  const auto moved = in_worktree({call.tool, call.args}, state_.branch());
  return moved ? wrong : moved.error().message;
}

AgentAdvance::Records AgentAdvance::decide(const AgentStep& step) const {
  Records records;
  for (const AgentCall& call : step.calls) {
    if (!call.decision.empty() || call.is_settled()) continue;
    Json data = at(step, call);
    const CatalogTool* tool =
        call.is_check || call.is_commit ? catalog_.find_any(call.tool) : catalog_.find(call.tool);
    const std::string wrong = fault_of(call, tool);
    if (tool == nullptr && catalog_.find_any(call.tool) != nullptr) {
      // A rule may deny the whole tool since the plan was made: that is the reason.
      const Ruling rule = judge_.decide(facts_of(call), state_);
      if (rule.decision == "deny") records.push_back(denied_call(step, call, rule));
      if (rule.decision == "deny") continue;
    }
    if (!wrong.empty()) {
      data["status"] = tool == nullptr ? "not_found" : "invalid_argument";
      data["message"] = wrong;
      data["result"] = dump_json({{"error_message", wrong}});
      data["result_digest"] = "";
      data["bytes"] = 0;
      records.push_back({"call.ended", std::move(data)});
      continue;
    }
    Ruling ruling;
    if (tool->is_own) {
      ruling = {"allow", "low", "", {"the client's own list"}, ""};
    } else {
      ruling = judge_.decide(facts_of(call), state_);
    }
    if (call.is_commit && ruling.decision == "prompt" && ruling.rule.empty()) {
      ruling.decision = "allow";
      ruling.reasons = {"the run's own branch: what it commits was decided on"};
    }
    data["decision"] = ruling.decision;
    data["risk"] = ruling.risk;
    data["rule"] = ruling.rule;
    data["reasons"] = ruling.reasons;
    if (!ruling.deny_reason.empty()) data["deny_reason"] = ruling.deny_reason;
    records.push_back({"call.decided", std::move(data)});
    if (ruling.decision == "deny") records.push_back(denied_call(step, call, ruling));
  }
  return records;
}

AgentAdvance::Records AgentAdvance::preview(const AgentStep& step) const {
  Records records;
  for (const AgentCall& call : step.calls) {
    if (call.is_settled() || call.has_preview || !call.preview_request.empty()) continue;
    const Editing editing = state_.settings().editing;
    const bool is_proposed = call.tool == "file.propose" && editing == Editing::kProposal;
    // What is applied in the end is what the preview made of a proposal, also of an allowed one.
    if (call.decision != "prompt" && !is_proposed) continue;
    const auto route = preview_of(call);
    if (!route) continue;
    Json data = at(step, call);
    const CatalogTool* tool = catalog_.find_any(route->command);
    if (tool == nullptr) {
      data["error"] = route->command + ": the worker does not serve it; there is no preview";
      records.push_back({"preview.answered", std::move(data)});
      continue;
    }
    data["request_id"] = agent_ids::preview(run_, step.number, call.n, step.rounds + 1);
    data["command"] = route->command;
    records.push_back({"preview.asked", std::move(data)});
  }
  return records;
}

AgentAdvance::Records AgentAdvance::impact(const AgentStep& step) const {
  Records records;
  // What was asked of a person already is not asked otherwise.
  if (!step.approval.empty()) return records;
  for (const AgentCall& call : step.calls) {
    if (call.is_settled() || call.has_impact || !call.impact_request.empty()) continue;
    const auto route = impact_route(call);
    if (call.decision != "prompt" || !route) continue;
    Json data = at(step, call);
    if (catalog_.find_any(route->command) == nullptr) {
      data["error"] = route->command + ": the worker does not serve it";
      records.push_back({"impact.answered", std::move(data)});
      continue;
    }
    data["request_id"] = agent_ids::impact(run_, step.number, call.n, step.rounds + 1);
    records.push_back({"impact.asked", std::move(data)});
  }
  return records;
}

AgentAdvance::Records AgentAdvance::approve(const AgentStep& step) const {
  std::vector<ShownCall> shown;
  Records records;
  for (const AgentCall& call : step.calls) {
    if (call.decision != "prompt" || call.is_settled()) continue;
    ShownCall one;
    one.call = &call;
    one.facts = facts_of(call);
    // The preview may raise the risk, and deny.
    one.ruling = judge_.decide(one.facts, state_);
    if (one.ruling.decision == "deny") {
      records.push_back(denied_call(step, call, one.ruling));
      continue;
    }
    // A person agrees to what runs in the end: a proposed change set is applied.
    const auto route = call_route(call, state_.settings().editing);
    const CatalogTool* tool = catalog_.find_any(route ? route->command : call.tool);
    if (tool != nullptr) one.description = tool->description;
    shown.push_back(std::move(one));
  }
  if (shown.empty()) return records;
  const std::string id = agent_ids::approval(run_, step.number, step.rounds + 1);
  Json request = judge_.approval_request(id, shown, state_, now_);
  Json calls = Json::array();
  for (const ShownCall& one : shown) calls.push_back(one.call->n);
  records.push_back({"approval.asked",
                     {{"approval", id},
                      {"step", step.number},
                      {"digest", text_at(request, "digest")},
                      {"calls", std::move(calls)},
                      {"request", std::move(request)}}});
  return records;
}

std::optional<CallRoute> AgentAdvance::preview_of(const AgentCall& call) const {
  auto route = preview_route(call, state_.settings().editing);
  if (!route || !state_.branch().is_ready()) return route;
  auto moved = in_worktree(std::move(*route), state_.branch());
  if (!moved) return std::nullopt;
  return std::move(*moved);
}

Result<CallRoute> AgentAdvance::route_of(const AgentCall& call) const {
  TRY_ASSIGN(CallRoute route, call_route(call, state_.settings().editing));
  if (state_.branch().is_ready()) {
    TRY_ASSIGN(route, in_worktree(std::move(route), state_.branch()));
  }
  const CatalogTool* tool = catalog_.find_any(route.command);
  if (tool == nullptr) {
    return fail(ErrorCode::kUnimplemented, route.command + ": the worker does not serve it");
  }
  const Json& members = value_at(tool->schema, "properties");
  for (const char* name : {"expectedDigest", "precondition"}) {
    if (!members.contains(name)) route.params.erase(name);
  }
  return route;
}

AgentAdvance::Records AgentAdvance::begin_call(const AgentStep& step, const AgentCall& call) const {
  const bool is_write = has_effects(call);
  const std::string over =
      call.is_commit ? std::string() : over_budget_of_calls(state_, is_write, now_);
  if (!over.empty()) return end(AgentEnd::kBudget, over);
  Json data = at(step, call);
  const auto route = route_of(call);
  if (!route) {
    data["status"] = std::string(to_string(route.error().code));
    data["message"] = route.error().message;
    data["result"] = dump_json({{"error_message", route.error().message}});
    return {{"call.ended", std::move(data)}};
  }
  data["request_id"] = agent_ids::call(run_, step.number, call.n);
  data["tool"] = route->command;
  data["effects"] = is_write;
  data["args"] = call.modified_args.is_null() ? call.args : call.modified_args;
  return {{"call.begun", std::move(data)}};
}

AgentAdvance::Records AgentAdvance::execute(const AgentStep& step) const {
  const bool has_writes = std::any_of(step.calls.begin(), step.calls.end(),
                                      [&](const AgentCall& call) { return has_effects(call); });
  Records records;
  bool is_stopped = false;
  for (const AgentCall& call : step.calls) {
    if (call.is_settled()) {
      // A call that could not be made stops what was planned after it, as a failed one does.
      is_stopped = is_stopped || (has_writes && call.has_failed());
      continue;
    }
    if (call.approved && !*call.approved) {
      records.push_back(skipped_call(step, call, "denied", call.decision_reason));
      continue;
    }
    if (is_stopped && !call.is_commit) {
      records.push_back(skipped_call(step, call, "not_run", "a call before it failed"));
      continue;
    }
    if (!call.request_id.empty()) {
      if (has_writes) break;  // In their order, one after the other.
      continue;
    }
    const CatalogTool* tool = catalog_.find_any(call.tool);
    Records begun = tool != nullptr && tool->is_own ? own_call(step, call, state_.todo())
                                                    : begin_call(step, call);
    records.insert(records.end(), begun.begin(), begun.end());
    break;  // The next one is looked at when this is known: of budgets, of the list.
  }
  return records;
}

AgentAdvance::Records AgentAdvance::close(const AgentStep& step) const {
  if (Records records = branch().commit(step); !records.empty()) return records;
  const auto steers = state_.steers();
  const bool is_steered = !steers.empty() && steers.back().after_step == step.number;
  if (step.is_done && !step.has_failed_call() && !is_steered) return report(&step);
  std::string why;
  const AgentJudge::Progress progress = judge_.progress(state_.steps(), why);
  if (progress == AgentJudge::Progress::kEnd) return end(AgentEnd::kLoop, why);
  const auto& warnings = state_.warnings();
  const bool is_warned = !warnings.empty() && warnings.back().after_step == step.number;
  if (progress == AgentJudge::Progress::kWarn && !is_warned) {
    return {{"guard.warned",
             {{"step", step.number},
              {"text", why + "; do something else, or end with what is known"}}}};
  }
  return plan_next();
}

AgentAdvance::Records AgentAdvance::report(const AgentStep* step) const {
  if (Records records = branch().preview_merge(); !records.empty()) return records;
  if (!state_.settings().has_report) {
    std::vector<std::string> texts = outside_texts(state_);
    texts.push_back(branch_text(state_.branch()));
    texts.push_back(state_.settings().goal);
    const std::string text = report_or_summary({}, step);
    return {
        {"report.answered", {{"text", text}, {"unsupported", judge_.unsupported(text, texts)}}}};
  }
  const std::size_t models = std::max<std::size_t>(state_.settings().models.size(), 1);
  if (state_.model() >= models) return end(AgentEnd::kFailed, "no model of the chain answered");
  const PromptBuilder prompt(state_, catalog_);
  if (const auto params = prompt.report_params(); !params) {
    return end(AgentEnd::kFailed, params.error().message);
  }
  return {{"report.asked",
           {{"request_id", agent_ids::report(run_, state_.model())}, {"chain", state_.model()}}}};
}

}  // namespace filecall::client
