// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_machine.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "client/agent/core/agent_advance.h"
#include "client/agent/core/agent_ids.h"
#include "client/agent/core/branch_course.h"
#include "client/agent/core/branch_route.h"
#include "client/agent/core/budget_check.h"
#include "client/agent/core/prompt.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"
#include "client/agent/core/run_result.h"

namespace filecall::client {
namespace {

/// A chain of records that never ends would be a fault of this room.
constexpr int kRecordsPerStep = 10'000;

const char* why_stale(const Json& changed) {
  if (changed.contains("sandbox")) {
    return "the worker confines programs otherwise since it was asked";
  }
  if (changed.contains("file_directory")) {
    return "the worker works on files in another directory since it was asked";
  }
  return "policy or scenario changed since it was asked";
}

}  // namespace

AgentMachine::AgentMachine(std::string run, AgentState state, std::shared_ptr<ToolCatalog> catalog,
                           const AgentJudge& judge)
    : run_(std::move(run)), state_(std::move(state)), catalog_(std::move(catalog)), judge_(judge) {
  choose_tools();
}

void AgentMachine::choose_tools() {
  std::vector<std::string> hidden = state_.settings().hidden;
  if (state_.settings().editing == Editing::kProposal) {
    // There a change is one of a set that a person applies.
    hidden.insert(hidden.end(), {"file.create", "file.edit", "file.delete", "file.apply"});
  }
  catalog_->choose(state_.settings().tools, hidden);
}

void AgentMachine::add(AgentTurn& turn, std::string type, Json data, WallTime now) {
  const Editing before = state_.settings().editing;
  state_.fold(type, data, now);
  if (before == Editing::kBranch && state_.settings().editing == Editing::kProposal) {
    // Other runs may share the list of tools.
    catalog_ = std::make_shared<ToolCatalog>(*catalog_);
    choose_tools();
  }
  turn.records.push_back({std::move(type), std::move(data)});
}

AgentTurn AgentMachine::step(const AgentEvent& event) {
  AgentTurn turn;
  switch (event.kind) {
    case AgentEvent::Kind::kBegin:
      if (!state_.has_begun()) {
        add(turn, "run.begun", event.data, event.now);
        choose_tools();
      }
      break;
    case AgentEvent::Kind::kResume:
      resume(turn, event);
      break;
    case AgentEvent::Kind::kAnswer:
      take_answer(turn, event);
      break;
    case AgentEvent::Kind::kDecision:
      take_decision(turn, event);
      break;
    case AgentEvent::Kind::kSteer:
      if (!state_.is_over()) add(turn, "steer", {{"text", event.text}}, event.now);
      break;
    case AgentEvent::Kind::kRecorded:
      if (event.id == "run.cancelled") {
        if (state_.is_over() || state_.is_cancelled()) break;
        for (const std::string& id : open_) {
          turn.effects.push_back({.kind = AgentEffect::Kind::kCancel, .id = id});
        }
      }
      if (!state_.is_over()) state_.fold(event.id, event.data, event.now);
      break;
    case AgentEvent::Kind::kCancel:
      if (state_.is_over() || state_.is_cancelled()) break;
      if (state_.is_parked()) add(turn, "run.resumed", Json::object(), event.now);
      add(turn, "run.cancelled", {{"why", event.text}}, event.now);
      for (const std::string& id : open_) {
        turn.effects.push_back({.kind = AgentEffect::Kind::kCancel, .id = id});
      }
      break;
    case AgentEvent::Kind::kPark:
      if (!state_.is_over() && !state_.is_parked()) {
        add(turn, "run.parked", {{"why", event.text}}, event.now);
      }
      break;
  }
  for (int i = 0; i < kRecordsPerStep; ++i) {
    auto records = AgentAdvance(run_, state_, *catalog_, judge_, event.now).next();
    if (records.empty()) break;
    for (AgentRecord& record : records) {
      add(turn, std::move(record.type), std::move(record.data), event.now);
    }
  }
  if (state_.is_parked()) return turn;
  for (AgentEffect& effect : wanted()) {
    if (!issued_.insert(effect.id).second) continue;
    open_.insert(effect.id);
    turn.effects.push_back(std::move(effect));
  }
  return turn;
}

void AgentMachine::resume(AgentTurn& turn, const AgentEvent& event) {
  if (!state_.has_begun()) return;
  Json changed = event.data.is_object() ? event.data : Json::object();
  if (changed.contains("budgets")) {
    const Json budgets = changed["budgets"];
    changed.erase("budgets");
    const bool is_over = state_.is_over();
    if (!is_over || can_continue_with(state_, budgets, event.now)) {
      add(turn, "run.budgets", {{"budgets", budgets}, {"continues", is_over}}, event.now);
    }
  }
  if (state_.is_over()) return;
  if (state_.is_parked()) add(turn, "run.resumed", Json::object(), event.now);
  if (changed.empty()) return;
  if (const std::string approval = awaited_approval(); !approval.empty()) {
    add(turn, "approval.stale", {{"approval", approval}, {"why", why_stale(changed)}}, event.now);
  }
  add(turn, "run.policy_changed", std::move(changed), event.now);
  choose_tools();
}

std::string AgentMachine::result_request() const {
  return agent_ids::result(run_, state_.continuations() + 1);
}

std::string AgentMachine::awaited_approval() const {
  const AgentStep* step = state_.step();
  if (step == nullptr || state_.is_over() || step->is_decided) return {};
  return step->approval;
}

std::vector<AgentEffect> AgentMachine::wanted() const {
  std::vector<AgentEffect> effects;
  const auto ask = [&](const std::string& id, std::string command, Json params) -> AgentEffect& {
    effects.push_back({AgentEffect::Kind::kAsk, id, std::move(command), std::move(params)});
    return effects.back();
  };
  if (!state_.has_begun()) return effects;
  if (state_.is_over()) {
    if (!has_result_) ask(result_request(), "system.echo", run_result(run_, state_));
    return effects;
  }
  const PromptBuilder prompt(state_, *catalog_);
  if (!state_.report_request().empty() && !state_.has_report()) {
    if (auto params = prompt.report_params()) {
      ask(state_.report_request(), "llm.chat", std::move(*params)).is_model = true;
    }
  }
  if (const auto& open = state_.branch().open) {
    ask(open->id, open->command, open->params).has_effects = open->has_effects;
  }
  const AgentStep* step = state_.step();
  if (step == nullptr) return effects;
  if (!step->is_planned && !step->plan_request.empty()) {
    if (auto params = prompt.plan_params()) {
      ask(step->plan_request, "llm.chat", std::move(*params)).is_model = true;
    }
  }
  const AgentAdvance advance(run_, state_, *catalog_, judge_, {});
  for (const AgentCall& call : step->calls) {
    if (call.is_settled()) continue;
    if (!call.preview_request.empty() && !call.has_preview) {
      if (auto route = advance.preview_of(call)) {
        ask(call.preview_request, route->command, std::move(route->params));
      }
    }
    if (!call.impact_request.empty() && !call.has_impact) {
      if (auto route = impact_route(call)) {
        ask(call.impact_request, route->command, std::move(route->params));
      }
    }
    if (call.request_id.empty()) continue;
    if (auto route = advance.route_of(call)) {
      ask(call.request_id, route->command, std::move(route->params)).has_effects =
          advance.has_effects(call);
    }
  }
  if (const std::string approval = awaited_approval(); !approval.empty()) {
    effects.push_back({AgentEffect::Kind::kApprove, approval, "", step->approval_request});
  }
  return effects;
}

void AgentMachine::take_answer(AgentTurn& turn, const AgentEvent& event) {
  open_.erase(event.id);
  if (event.id == result_request()) {
    has_result_ = true;
    return;
  }
  if (state_.is_over()) return;
  if (event.id == state_.report_request() && !state_.has_report()) return take_report(turn, event);
  if (state_.branch().open && event.id == state_.branch().open->id) return take_branch(turn, event);
  const AgentStep* step = state_.step();
  if (step == nullptr) return;
  if (event.id == step->plan_request && !step->is_planned) return take_plan(turn, event);
  for (const AgentCall& call : step->calls) {
    if (call.is_settled()) continue;
    if (event.id == call.preview_request && !call.has_preview) {
      return take_preview(turn, call, "preview.answered", event);
    }
    if (event.id == call.impact_request && !call.has_impact) {
      return take_preview(turn, call, "impact.answered", event);
    }
    if (event.id == call.request_id) return take_result(turn, call, event);
  }
}

void AgentMachine::take_plan(AgentTurn& turn, const AgentEvent& event) {
  const AgentStep& step = *state_.step();
  if (state_.is_cancelled()) return;
  Json data = {{"step", step.number}, {"request_id", event.id}};
  if (!event.response->is_success()) {
    const Failure& failure = *event.response->failure;
    data["error_code"] = std::string(to_string(failure.code));
    data["error_message"] = failure.message;
    data["chain"] = state_.model();
    const std::string model = text_at(failure.details, "model");
    const std::string provider = text_at(failure.details, "provider");
    if (!model.empty()) data["asked"] = provider.empty() ? model : provider + "/" + model;
    return add(turn, "plan.failed", std::move(data), event.now);
  }
  const Json& answer = event.response->data;
  data["usage"] = usage_of(answer);
  PlanReading plan = judge_.read_plan(answer, state_.settings(), *catalog_);
  if (!plan.is_plan) {
    data["turn"] = step.turn;
    data["rule"] = plan.rule;
    data["line"] = plan.line;
    data["column"] = plan.column;
    data["message"] = plan.message;
    data["text_excerpt"] = bounded_text(plan.excerpt, 4096, "");
    return add(turn, "plan.rejected", std::move(data), event.now);
  }
  const Editing editing = state_.settings().editing;
  const bool changes = std::any_of(plan.calls.begin(), plan.calls.end(), [&](const Json& call) {
    return changes_files(text_at(call, "tool"), editing);
  });
  if (changes) {
    for (const Json& check : state_.settings().check_calls()) plan.calls.push_back(check);
  }
  data["commentary"] = plan.commentary;
  data["calls"] = std::move(plan.calls);
  data["done"] = plan.is_done;
  data["summary"] = plan.summary;
  if (!plan.notes.empty()) data["notes"] = plan.notes;
  if (const std::string model = text_at(answer, "model"); !model.empty()) {
    data["answered_by"] = fmt::format("{}/{}", text_at(answer, "provider"), model);
  }
  add(turn, "plan.answered", std::move(data), event.now);
}

void AgentMachine::take_branch(AgentTurn& turn, const AgentEvent& event) {
  const BranchCourse course(run_, state_, *catalog_, judge_, event.now);
  add(turn, "branch.answered", course.answer_of(*event.response), event.now);
}

void AgentMachine::take_report(AgentTurn& turn, const AgentEvent& event) {
  if (state_.is_cancelled()) return;
  if (!event.response->is_success()) {
    return add(turn, "report.failed",
               {{"request_id", event.id},
                {"error_message", event.response->failure->message},
                {"chain", state_.model()}},
               event.now);
  }
  const std::string text = report_or_summary(text_at(event.response->data, "text"), state_.step());
  std::vector<std::string> texts = {state_.settings().goal, branch_text(state_.branch())};
  for (const SteerText& steer : state_.steers()) texts.push_back(steer.text);
  for (const AgentStep& step : state_.steps()) {
    for (const AgentCall& call : step.calls) {
      texts.push_back(call.result);
      texts.push_back(call.message);
    }
  }
  add(turn, "report.answered",
      {{"text", text},
       {"unsupported", judge_.unsupported(text, texts)},
       {"usage", usage_of(event.response->data)}},
      event.now);
}

void AgentMachine::take_preview(AgentTurn& turn, const AgentCall& call, std::string record,
                                const AgentEvent& event) {
  Json data = {{"step", state_.step()->number}, {"n", call.n}, {"request_id", event.id}};
  if (event.response->is_success()) {
    data["data"] = event.response->data;
  } else {
    data["error"] = event.response->failure->message;
  }
  add(turn, std::move(record), std::move(data), event.now);
}

void AgentMachine::take_result(AgentTurn& turn, const AgentCall& call, const AgentEvent& event) {
  const Response& response = *event.response;
  const RunBranch& branch = state_.branch();
  std::string whole = result_text_of(response);
  if (branch.is_ready()) {
    // A model sees files by the names that it uses.
    whole = response.is_success() ? dump_json(out_of_worktree(response.data, branch))
                                  : out_of_worktree(std::move(whole), branch);
  }
  Json data = {{"step", state_.step()->number}, {"n", call.n}, {"request_id", event.id}};
  data["status"] =
      response.is_success() ? "success" : std::string(to_string(response.failure->code));
  if (!response.is_success()) data["message"] = response.failure->message;
  if (branch.is_ready() && call.tool == "git.commit" && response.is_success()) {
    data["commit"] = text_at(response.data, "commit");
  }
  data["result"] = bounded_text(whole, kResultBytesMax, "responses/" + event.id + ".json");
  data["result_digest"] = hash128(whole).hex();
  data["bytes"] = whole.size();
  if (response.is_success()) {
    if (const Json& code = value_at(response.data, "exit_code"); code.is_number() && code != 0) {
      data["exit_code"] = code;
    } else if (const Json& signal = value_at(response.data, "signal"); !signal.is_null()) {
      data["signal"] = signal;
    }
    const AgentAdvance advance(run_, state_, *catalog_, judge_, event.now);
    if (const auto route = advance.route_of(call)) {
      Json files = files_of(route->command, route->params, response.data);
      if (branch.is_ready()) files = out_of_worktree(files, branch);
      if (!files.empty()) data["files"] = std::move(files);
    }
  }
  add(turn, "call.ended", std::move(data), event.now);
}

void AgentMachine::take_decision(AgentTurn& turn, const AgentEvent& event) {
  if (event.id != awaited_approval() || event.id.empty()) return;
  open_.erase(event.id);
  Json decisions = Json::array();
  const AgentAdvance advance(run_, state_, *catalog_, judge_, event.now);
  for (Json one : value_at(event.data, "decisions")) {
    const AgentStep& step = *state_.step();
    const std::int64_t n = number_at(one, "n");
    if (n < 1 || n > static_cast<std::int64_t>(step.calls.size())) continue;
    AgentCall call = step.calls[static_cast<std::size_t>(n - 1)];
    if (flag_at(one, "approved") && one.contains("args")) {
      // What a person made of the arguments is held against schema and policy like the model's.
      call.modified_args = one["args"];
      const CatalogTool* tool = catalog_->find_any(call.tool);
      std::string wrong = tool == nullptr ? "" : catalog_->check(*tool, call.modified_args);
      const Ruling ruling = judge_.decide(advance.facts_of(call), state_);
      if (wrong.empty() && ruling.decision == "deny") {
        wrong = ruling.deny_reason.empty() ? "a rule denies it" : ruling.deny_reason;
      }
      one["risk"] = ruling.risk;
      if (!wrong.empty()) {
        one["approved"] = false;
        one["reason"] = "the changed arguments are refused: " + wrong;
      }
    }
    decisions.push_back(std::move(one));
  }
  // A call that the decision leaves out was not approved.
  for (const AgentCall& call : state_.step()->calls) {
    if (call.decision != "prompt" || call.is_settled()) continue;
    const bool is_there = std::any_of(decisions.begin(), decisions.end(), [&](const Json& one) {
      return number_at(one, "n") == call.n;
    });
    if (is_there) continue;
    decisions.push_back({{"n", call.n}, {"approved", false}, {"reason", "it was not decided on"}});
  }
  add(turn, "approval.decided",
      {{"approval", event.id},
       {"decisions", std::move(decisions)},
       {"source", text_at(event.data, "source")},
       {"by", text_at(event.data, "by")},
       {"scope", text_at(event.data, "scope")},
       {"reason", text_at(event.data, "reason")}},
      event.now);
}

}  // namespace filecall::client
