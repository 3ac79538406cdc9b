// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_state.h"

#include <algorithm>

#include "client/agent/core/record_member.h"

namespace filecall::client {
namespace {

constexpr std::string_view kEndNames[] = {"", "done", "failed", "budget", "loop", "cancelled"};

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return type.starts_with(prefix); });
}

/// Whether a decision is on calls of the model, and not on checks or a commit that came after them.
bool decides_on_plan(const AgentStep& step, const Json& data) {
  return std::ranges::any_of(value_at(data, "decisions"), [&](const Json& one) {
    return std::ranges::any_of(step.calls, [&](const AgentCall& call) {
      return call.n == number_at(one, "n") && !call.is_check && !call.is_commit;
    });
  });
}

}  // namespace

std::string_view to_string(AgentEnd end) { return kEndNames[static_cast<std::size_t>(end)]; }

AgentEnd parse_agent_end(std::string_view name) {
  for (std::size_t i = 1; i < std::size(kEndNames); ++i) {
    if (kEndNames[i] == name) return static_cast<AgentEnd>(i);
  }
  return AgentEnd::kFailed;
}

AgentStep* AgentState::find_step(const Json& data) {
  const std::int64_t number = number_at(data, "step");
  return number < 1 || number > static_cast<std::int64_t>(steps_.size())
             ? nullptr
             : &steps_[static_cast<std::size_t>(number - 1)];
}

AgentCall* AgentState::find_call(const Json& data) {
  AgentStep* step = find_step(data);
  return step == nullptr ? nullptr : step->find(number_at(data, "n"));
}

void AgentState::fold(std::string_view type, const Json& data, WallTime at) {
  if (is_one_of(type, {"plan.", "report."})) return fold_planning(type, data);
  if (is_one_of(type, {"call.", "preview.", "impact."})) return fold_call(type, data);
  if (is_one_of(type, {"approval."})) return fold_approval(type, data);
  if (is_one_of(type, {"branch.", "commit.", "checks."})) return fold_branch(type, data);
  fold_course(type, data, at);
}

void AgentState::fold_planning(std::string_view type, const Json& data) {
  if (type == "plan.asked") {
    const std::int64_t number = number_at(data, "step");
    if (number == static_cast<std::int64_t>(steps_.size()) + 1) {
      if (!steps_.empty()) steps_.back().is_closed = true;
      steps_.emplace_back();
      steps_.back().number = number;
    }
    if (AgentStep* step = find_step(data)) {
      step->turn = static_cast<int>(number_at(data, "turn", 1));
      step->plan_request = text_at(data, "request_id");
    }
    model_ = static_cast<std::size_t>(number_at(data, "chain"));
  } else if (type == "plan.answered") {
    take_plan(data);
  } else if (type == "plan.rejected") {
    add_usage(value_at(data, "usage"));
    if (AgentStep* step = find_step(data)) {
      step->rejected.push_back({text_at(data, "message"), text_at(data, "text_excerpt")});
      step->plan_request.clear();
    }
  } else if (type == "plan.failed") {
    if (AgentStep* step = find_step(data)) step->plan_request.clear();
    // Reports are to find what a model has failed at, too.
    if (answered_by_.empty()) answered_by_ = text_at(data, "asked");
    model_ = static_cast<std::size_t>(number_at(data, "chain")) + 1;
  } else if (type == "report.asked") {
    report_request_ = text_at(data, "request_id");
    model_ = static_cast<std::size_t>(number_at(data, "chain"));
  } else if (type == "report.failed") {
    report_request_.clear();
    model_ = static_cast<std::size_t>(number_at(data, "chain")) + 1;
  } else if (type == "report.answered") {
    add_usage(value_at(data, "usage"));
    has_report_ = true;
    report_ = text_at(data, "text");
    unsupported_ = texts_at(data, "unsupported");
  }
}

void AgentState::take_plan(const Json& data) {
  if (const std::string model = text_at(data, "answered_by"); !model.empty()) answered_by_ = model;
  add_usage(value_at(data, "usage"));
  AgentStep* step = find_step(data);
  if (step == nullptr || step->is_planned) return;
  step->is_planned = true;
  step->commentary = text_at(data, "commentary");
  step->is_done = flag_at(data, "done");
  step->summary = text_at(data, "summary");
  int n = 0;
  for (const Json& one : value_at(data, "calls")) {
    AgentCall call;
    call.n = ++n;
    call.tool = text_at(one, "tool");
    call.args = value_at(one, "args");
    call.is_check = flag_at(one, "check");
    step->calls.push_back(std::move(call));
  }
}

void AgentState::fold_call(std::string_view type, const Json& data) {
  AgentCall* call = find_call(data);
  if (call == nullptr) return;
  if (type == "call.decided") {
    call->decision = text_at(data, "decision");
    call->risk = text_at(data, "risk");
    call->rule = text_at(data, "rule");
    call->reasons = value_at(data, "reasons");
    call->deny_reason = text_at(data, "deny_reason");
  } else if (type == "preview.asked") {
    call->preview_request = text_at(data, "request_id");
    call->has_preview = false;
  } else if (type == "preview.answered") {
    call->has_preview = true;
    call->preview = value_at(data, "data");
    call->preview_error = text_at(data, "error");
  } else if (type == "impact.asked") {
    call->impact_request = text_at(data, "request_id");
    call->has_impact = false;
  } else if (type == "impact.answered") {
    call->has_impact = true;
    call->impact = value_at(data, "data");
    call->impact_error = text_at(data, "error");
  } else if (type == "call.begun") {
    call->request_id = text_at(data, "request_id");
    call->has_effects = flag_at(data, "effects");
    // Its budgets are for what the model wants.
    if (call->is_commit) return;
    ++calls_;
    if (call->has_effects) ++writes_;
  } else if (type == "call.ended") {
    take_call_end(*call, data);
  } else if (type == "call.skipped") {
    call->status = text_at(data, "kind") == "denied" ? "denied" : "not_run";
    call->message = text_at(data, "reason");
    if (call->is_commit) branch_.problem = call->message;
  }
}

std::string_view AgentState::checks() const {
  // Those before a change say nothing of the files as they are.
  const bool is_open = has_unchecked_files_ && end_ != AgentEnd::kDone;
  if (is_open && !settings_.checks.empty()) return "not_run";
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (const std::string_view checks = step->checks(); !checks.empty()) return checks;
  }
  return {};
}

std::int64_t AgentState::step_count() const {
  const bool is_empty = !steps_.empty() && is_cancelled_ && !steps_.back().is_planned &&
                        steps_.back().rejected.empty();
  return static_cast<std::int64_t>(steps_.size()) - (is_empty ? 1 : 0);
}

void AgentState::take_call_end(AgentCall& call, const Json& data) {
  call.status = text_at(data, "status");
  // It counted when it began: nobody knew then what would become of it.
  if (call.has_effects && !call.is_commit && !call.request_id.empty() && call.was_refused()) {
    --writes_;
  }
  call.message = text_at(data, "message");
  call.result = text_at(data, "result");
  call.result_digest = text_at(data, "result_digest");
  call.result_bytes = number_at(data, "bytes");
  for (const std::string& file : texts_at(data, "files")) take_file(file);
  has_unchecked_files_ = has_unchecked_files_ && !call.is_check;
  if (branch_.is_ready() && call.tool == "git.commit") take_commit_end(call, data);
}

void AgentState::take_file(const std::string& file) {
  has_unchecked_files_ = true;
  if (std::ranges::find(files_changed_, file) == files_changed_.end()) {
    files_changed_.push_back(file);
  }
}

void AgentState::note_damage(std::string where) {
  if (damage_.empty()) damage_ = std::move(where);
}

bool AgentState::knows_files_changed() const {
  if (!damage_.empty()) return false;
  if (branch_.is_ready()) return steps_.empty() || !steps_.back().may_have_unseen_changes();
  return std::ranges::none_of(steps_,
                              [](const AgentStep& step) { return step.has_run_programs(); });
}

/// What a program has changed is held against the checks, too, before it is committed.
void AgentState::take_checks(AgentStep& step, const Json& data) {
  for (const Json& one : value_at(data, "calls")) {
    AgentCall call;
    call.n = static_cast<int>(step.calls.size()) + 1;
    call.tool = text_at(one, "tool");
    call.args = value_at(one, "args");
    call.is_check = true;
    step.calls.push_back(std::move(call));
  }
  step.has_looked = false;
  step.begin_approval();
}

void AgentState::take_commit_end(const AgentCall& call, const Json& data) {
  const std::string commit = text_at(data, "commit");
  if (!commit.empty()) {
    branch_.commits.push_back({{"commit", commit}, {"step", steps_.back().number}});
  }
  if (!call.is_commit) return;
  if (call.has_succeeded()) {
    branch_.uncommitted.clear();
    branch_.problem.clear();
  } else {
    branch_.problem = call.message;
    // What an interrupted one has done is to be seen on the branch.
    steps_.back().must_find_commit = call.status == "aborted";
    steps_.back().is_saved = call.status != "aborted";
  }
}

void AgentState::fold_branch(std::string_view type, const Json& data) {
  AgentStep* const step = find_step(data);
  if (type == "commit.planned") {
    if (step == nullptr) return;
    AgentCall call;
    call.n = static_cast<int>(step->calls.size()) + 1;
    call.tool = "git.commit";
    call.args = value_at(data, "args");
    call.is_commit = true;
    step->calls.push_back(std::move(call));
    step->is_saved = true;
    step->begin_approval();
    return;
  }
  if (type == "checks.planned") {
    if (step != nullptr) take_checks(*step, data);
    return;
  }
  branch_.fold(type, data);
  if (type != "branch.answered") return;
  const std::string what = text_at(data, "what");
  if (what == "look" && !branch_.is_being_made()) settings_.editing = Editing::kProposal;
  if (step == nullptr) return;
  if (what == "changes") {
    step->has_looked = true;
    ++step->looks;
    // What was left uncommitted before is none of this step's changes, and a step's checks come
    // after all that it does.
    const bool was_unchecked = has_unchecked_files_;
    const bool has_changed = step->has_run_programs() && !step->has_begun_checks();
    for (const std::string& file : branch_.uncommitted) take_file(file);
    has_unchecked_files_ = was_unchecked || (has_changed && !branch_.uncommitted.empty());
    step->is_saved = branch_.uncommitted.empty();
  } else if (what == "head") {
    const std::string commit = text_at(data, "commit");
    step->must_find_commit = false;
    step->has_looked = false;
    step->is_saved = !commit.empty();
    if (step->is_saved) {
      branch_.commits.push_back({{"commit", commit}, {"step", step->number}});
      branch_.uncommitted.clear();
      branch_.problem.clear();
    }
  }
}

void AgentState::fold_approval(std::string_view type, const Json& data) {
  AgentStep* const step = steps_.empty() ? nullptr : &steps_.back();
  if (step == nullptr) return;
  if (type == "approval.asked") {
    step->approval = text_at(data, "approval");
    step->approval_request = value_at(data, "request");
    step->is_decided = false;
    ++step->rounds;
  } else if (type == "approval.decided") {
    step->is_decided = true;
    if (decides_on_plan(*step, data)) step->decided_approval = text_at(data, "approval");
    take_decisions(data);
  } else if (type == "approval.stale") {
    step->stale_approvals.push_back(text_at(data, "approval"));
    step->forget_decisions();
  }
}

void AgentState::take_decisions(const Json& data) {
  for (const Json& one : value_at(data, "decisions")) {
    AgentCall* call = steps_.back().find(number_at(one, "n"));
    if (call == nullptr) continue;
    call->approved = flag_at(one, "approved");
    call->modified_args = value_at(one, "args");
    call->hunks = value_at(one, "hunks");
    call->decision_reason = text_at(one, "reason");
    const std::string rule = text_at(one, "rule");
    if (!rule.empty() && *call->approved) granted_.push_back(rule);
  }
}

void AgentState::fold_course(std::string_view type, const Json& data, WallTime at) {
  const std::int64_t so_far = static_cast<std::int64_t>(steps_.size());
  if (type == "run.begun") {
    has_begun_ = true;
    begun_at_ = at;
    settings_ = AgentSettings::of(data);
    todo_ = settings_.todo;
    granted_ = settings_.granted;
    if (settings_.editing == Editing::kBranch) branch_.stage = RunBranch::Stage::kLook;
  } else if (type == "run.policy_changed") {
    if (!steps_.empty()) steps_.back().forget_decisions();
    if (data.contains("policy_digest")) settings_.policy_digest = text_at(data, "policy_digest");
    if (data.contains("hidden")) settings_.hidden = texts_at(data, "hidden");
    if (data.contains("scenario_digest")) {
      settings_.scenario_digest = text_at(data, "scenario_digest");
    }
  } else if (type == "run.budgets") {
    take_budgets(data, at);
  } else if (type == "todo.written") {
    todo_ = {{"version", number_at(data, "version")}, {"items", value_at(data, "items")}};
  } else if (type == "steer") {
    steers_.push_back({so_far, text_at(data, "text")});
  } else if (type == "guard.warned") {
    warnings_.push_back({so_far, text_at(data, "text")});
  } else if (type == "context.summarised") {
    summary_ = text_at(data, "text");
    summarised_steps_ = number_at(data, "through_step");
  } else if (type == "run.parked") {
    is_parked_ = true;
    parked_at_ = at;
  } else if (type == "run.resumed") {
    if (is_parked_ && at > parked_at_) parked_time_ += at - parked_at_;
    is_parked_ = false;
  } else if (type == "run.cancelled") {
    is_cancelled_ = true;
  } else if (type == "run.ending") {
    ending_ = parse_agent_end(text_at(data, "status"));
    ending_reason_ = text_at(data, "reason");
  } else if (type == "run.ended") {
    end_ = parse_agent_end(text_at(data, "status"));
    end_reason_ = text_at(data, "reason");
    if (is_parked_ && at > parked_at_) parked_time_ += at - parked_at_;
    is_parked_ = false;
    ended_at_ = at;
    // A model that is still being asked may be paid for, and nobody will know it.
    const bool asks_plan =
        !steps_.empty() && !steps_.back().is_planned && !steps_.back().plan_request.empty();
    if (asks_plan || (!has_report_ && !report_request_.empty())) is_cost_known_ = false;
    branch_.has_unseen = branch_.is_ready() && !knows_files_changed();
  }
}

void AgentState::take_budgets(const Json& data, WallTime at) {
  settings_.budgets = AgentBudgets::of(value_at(data, "budgets"));
  if (!flag_at(data, "continues") || !is_over()) return;
  ++continuations_;
  if (at > ended_at_) parked_time_ += at - ended_at_;
  end_ = ending_ = AgentEnd::kNone;
  end_reason_.clear();
  ending_reason_.clear();
  // What it changes from now on is compared again.
  branch_.has_merge = false;
  branch_.merge = Json();
  branch_.merge_error.clear();
}

void AgentState::add_usage(const Json& usage) {
  tokens_ += number_at(usage, "input_tokens") + number_at(usage, "output_tokens");
  if (value_at(usage, "cost").is_number()) {
    cost_ += real_at(usage, "cost");
  } else if (usage.is_object()) {
    is_cost_known_ = false;
  }
}

Duration AgentState::active_time(WallTime now) const {
  if (!has_begun_) return Duration::zero();
  const WallTime until = is_over() ? ended_at_ : is_parked_ ? parked_at_ : now;
  return std::max<Duration>(until - begun_at_ - parked_time_, Duration::zero());
}

}  // namespace filecall::client
