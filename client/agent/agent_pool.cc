// SPDX-License-Identifier: MIT
#include "client/agent/agent_pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "client/agent/core/record_member.h"
#include "client/agent/decision_record.h"
#include "client/agent/result_labels.h"
#include "client/agent/run_request.h"
#include "client/engine/driver.h"
#include "client/service/last_answer.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

/// How often threads and approvals are looked at: at least, and more for each run.
constexpr Duration kLookEvery = milliseconds(200);
constexpr Duration kLookEveryForEach = milliseconds(2);
constexpr const char* kStale = "policy or scenario changed since it was asked";

bool is_result(const AgentRun& run, const std::string& id) {
  return run.machine() != nullptr && is_result_of(run.state(), run.id(), id);
}

RunLabels labels_of(const AgentRun& run) {
  return {run.id(), run.order().thread, run.order().metadata};
}

}  // namespace

struct AgentPool::Live {
  std::unique_ptr<AgentRun> run;
  MonotonicTime asked_at{};  ///< For the decision that is awaited.
  bool wakes_worker = false;
  bool asks_again = false;  ///< For the catalog, under another id.
  bool is_finished = false;
  bool leaves_result = false;  ///< Its result was asked for, and nobody here awaits it.
};

AgentPool::AgentPool(Orchestrator& engine, const spool::Layout& layout, ApprovalFiles& approvals,
                     AgentSource& source, AgentPoolOptions options, AgentObserver& observer,
                     ApprovalAsker* asker, Ended on_end)
    : engine_(engine),
      layout_(layout),
      approvals_(approvals),
      source_(source),
      options_(options),
      observer_(observer),
      asker_(asker),
      on_end_(std::move(on_end)),
      proposals_(layout, options.durability),
      estimates_(layout.client_database()) {}

/// A run goes on without what only makes looking at it easier.
void AgentPool::tell(const Result<void>& done) {
  if (!done) observer_.on_notice(done.error().message);
}

Result<Offer> AgentPool::next() {
  if (ready_.empty()) {
    const MonotonicTime now = monotonic_now();
    if (now >= next_look_) {
      next_look_ = now + kLookEvery + kLookEveryForEach * static_cast<int>(runs_.size());
      look_at_threads();
      look_at_approvals();
    }
    start_more();
  }
  if (!ready_.empty()) {
    Submission submission = std::move(ready_.front());
    ready_.pop_front();
    return Offer::of(std::move(submission));
  }
  return runs_.empty() && is_exhausted_ ? Offer::end() : Offer::not_yet();
}

void AgentPool::start_more() {
  while (!is_exhausted_ && ready_.empty() && static_cast<int>(runs_.size()) < options_.runs_max) {
    auto order = source_.next();
    if (!order) {
      observer_.on_notice(order.error().message);
      is_exhausted_ = true;
    } else if (!*order) {
      is_exhausted_ = true;
    } else {
      start(std::move(**order));
    }
  }
}

void AgentPool::start(AgentOrder order) {
  const std::string id = order.run;
  AgentOutcome failed;
  failed.run = id;
  failed.thread = order.thread;
  auto run = AgentRun::open(layout_, std::move(order), options_.durability, observer_);
  if (!run) {
    failed.error = run.error();
    failed.is_busy = run.error().code == ErrorCode::kUnavailable;
    return on_end_(failed);
  }
  auto live = std::make_shared<Live>();
  live->run = std::move(*run);
  live->run->set_estimates(estimates_);
  runs_[id] = live;
  if (!live->run->needs_catalog()) return perform(live, live->run->begin(nullptr));
  if (const std::string request = live->run->wake_request(); !request.empty()) {
    live->wakes_worker = true;
    return ask_for_catalog(live, request);
  }
  look_for_catalog(live);
}

void AgentPool::look_for_catalog(const Shared& live) {
  if (const auto known = catalogs_.find(live->run->catalog_key()); known != catalogs_.end()) {
    return perform(live, live->run->begin(known->second));
  }
  ask_for_catalog(live, live->run->catalog_request());
}

void AgentPool::ask_for_catalog(const Shared& live, const std::string& request) {
  AgentEffect catalog;
  catalog.id = request;
  catalog.command = "system.describe";
  catalog.params = Json::object();
  ask_for(live, catalog);
}

void AgentPool::ask_for(const Shared& live, const AgentEffect& effect) {
  // A catalog that several runs share is asked for once.
  const bool is_there = requests_.contains(effect.id);
  const std::string key = is_there ? effect.id + "/" + live->run->id() : effect.id;
  requests_[key] = live;
  if (is_there) return;
  if (effect.command == "file.apply") {
    tell(proposals_.begin(effect.id, effect.params, engine_.channel().has_request(effect.id)));
  }
  Submission submission;
  submission.request_id = effect.id;
  submission.command = effect.command;
  submission.bytes = run_request_text(labels_of(*live->run), live->run->state(), effect,
                                      effect.is_model && observer_.wants_stream());
  if (effect.is_model) observer_.on_model_asked(effect.id);
  if (effect.has_effects) {
    // Another attempt would be another call: it is another step with another decision.
    RetryPolicy once;
    once.attempts_max = 1;
    once.pause_max = Duration::zero();
    once.outage_max = Duration::zero();
    submission.retry = once;
  } else if (engine_.channel().has_request(effect.id)) {
    // What was asked before is asked again as it was, though another version would ask otherwise.
    if (is_result(*live->run, effect.id)) {
      tell(correct_result_labels(layout_, effect.id, submission.bytes, options_.durability));
    }
    submission.bytes.clear();
  }
  ready_.push_back(std::move(submission));
}

void AgentPool::begin(const Shared& live, const Json& catalog_data) {
  auto& known = catalogs_[live->run->catalog_key()];
  if (known == nullptr) {
    auto catalog = ToolCatalog::read(catalog_data);
    if (!catalog) return finish(live, catalog.error());
    known = std::make_shared<ToolCatalog>(std::move(*catalog));
  }
  perform(live, live->run->begin(known));
}

void AgentPool::perform(const Shared& live, Result<std::vector<AgentEffect>> effects) {
  if (!effects) return finish(live, effects.error());
  for (const AgentEffect& effect : *effects) {
    switch (effect.kind) {
      case AgentEffect::Kind::kAsk:
        ask_for(live, effect);
        break;
      case AgentEffect::Kind::kApprove:
        if (const auto published = approvals_.publish_request(effect.params); !published) {
          return finish(live, published.error());
        }
        tell(proposals_.publish(effect.params));
        live->asked_at = monotonic_now();
        waiting_[effect.id] = live;
        next_look_ = {};
        break;
      case AgentEffect::Kind::kCancel:
        if (const auto driver = engine_.driver()) (*driver)->cancel(effect.id);
        break;
    }
  }
  // Nobody is to decide these. Said each time: a kill may have come between the record and this.
  for (const AgentStep& step : live->run->state().steps()) {
    for (const std::string& stale : step.stale_approvals) withdraw(stale, kStale);
  }
  // What is waited for may be another approval by now, or none.
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    const bool is_stale =
        one->second == live &&
        (live->run->machine() == nullptr || live->run->machine()->awaited_approval() != one->first);
    // The files say that nobody needs to decide any more.
    if (is_stale) withdraw(one->first, "its run does not wait for it");
    one = is_stale ? waiting_.erase(one) : std::next(one);
  }
  finish_if_over(live);
}

void AgentPool::withdraw(const std::string& approval, const std::string& why) {
  tell(approvals_.withdraw(approval, why));
}

void AgentPool::on_outcome(const RequestOutcome& outcome) {
  std::vector<Shared> concerned;
  const std::string prefix = outcome.request_id + "/";
  for (auto one = requests_.lower_bound(outcome.request_id);
       one != requests_.end() &&
       (one->first == outcome.request_id || one->first.starts_with(prefix));) {
    concerned.push_back(one->second);
    one = requests_.erase(one);
  }
  if (concerned.empty()) return;
  auto response = outcome.response != nullptr
                      ? outcome.response
                      : std::make_shared<const Response>(final_response(layout_, outcome));
  if (outcome.state != RequestState::kSuccess && response->is_success()) {
    auto failed = std::make_shared<Response>();
    failed->failure =
        Failure::of({outcome.error_code.value_or(ErrorCode::kUnknown), outcome.error_message});
    response = std::move(failed);
  }
  tell(proposals_.end(outcome.request_id, *response));
  for (const Shared& live : concerned) {
    if (live->is_finished) continue;
    if (live->run->machine() != nullptr) {
      // What has ended is written down, and nothing new begins.
      const Interruption& interruption = engine_.interruption();
      if (interruption.is_requested()) {
        tell(live->run->interrupt(interruption.is_urgent(), "interrupted"));
      }
      perform(live, live->run->take_answer(outcome.request_id, response));
    } else if (std::exchange(live->wakes_worker, false)) {
      look_for_catalog(live);
    } else if (response->is_success()) {
      begin(live, response->data);
    } else if (response->failure->code == ErrorCode::kDataLoss &&
               !std::exchange(live->asks_again, true) && live->run->state().has_begun()) {
      // Its answer was taken away: what the worker has now is what can be called now.
      ask_for_catalog(live, live->run->other_catalog_request());
    } else {
      finish(live,
             Error{response->failure->code, "system.describe: " + response->failure->message});
    }
  }
}

void AgentPool::look_at_approvals() {
  const std::map<std::string, Shared, std::less<>> waiting = waiting_;
  for (const auto& entry : waiting) {
    if (waiting_.contains(entry.first)) look_at(entry.second);
  }
}

void AgentPool::look_at(const Shared& live) {
  const AgentState& state = live->run->state();
  const std::string id = live->run->machine()->awaited_approval();
  const Json& request = state.step()->approval_request;
  const ExpectedApproval expected{text_at(request, "digest"), state.settings().policy_digest,
                                  state.settings().scenario_digest};
  std::string refused;
  auto decision = approvals_.read_decision(id, expected, &refused);
  if (!refused.empty()) observer_.on_notice(fmt::format("approval {}: {}", id, refused));
  if (!decision) return finish(live, decision.error());
  if (*decision) return decide(live, **decision);
  const std::int64_t heard = live->run->log_bytes();
  const auto is_decided = [&] {
    const auto now = approvals_.read_decision(id, expected);
    // Somebody may have cancelled the run, or said something to it.
    return !now || now->has_value() || engine_.interruption().is_requested() ||
           live->run->log_bytes() != heard;
  };
  Result<std::optional<ApprovalDecision>> made = std::optional<ApprovalDecision>();
  if (options_.wait == AgentWait::kAsk) {
    made = asker_->ask(request, is_decided);
  } else if (options_.wait == AgentWait::kDeny) {
    made = std::optional(nobody_decides(request, wall_now()));
  }
  if (!made && made.error().code == ErrorCode::kUnavailable) {
    observer_.on_notice(made.error().message);
    return park(live, id);
  }
  if (!made) return finish(live, made.error());
  if (*made) {
    // The first decision counts; the next look reads which one it was.
    const auto key = approvals_.key();
    if (!key) return finish(live, key.error());
    const auto file = decision_file(request, **made, *key);
    if (!file) return observer_.on_notice(file.error().message);
    if (const auto published = approvals_.publish_decision(*file); !published) {
      observer_.on_notice(published.error().message);
    }
    return;
  }
  const bool is_patient =
      options_.wait == AgentWait::kAsk ||
      (options_.wait == AgentWait::kWait && (options_.wait_max <= Duration::zero() ||
                                             monotonic_now() - live->asked_at < options_.wait_max));
  if (!is_patient) park(live, id);
}

void AgentPool::park(const Shared& live, const std::string& id) {
  AgentEvent event;
  event.kind = AgentEvent::Kind::kPark;
  event.text = "waits for a decision on " + id;
  waiting_.erase(id);
  perform(live, live->run->take(std::move(event)));
}

void AgentPool::decide(const Shared& live, const ApprovalDecision& decision) {
  waiting_.erase(decision.id);
  AgentEvent event;
  event.kind = AgentEvent::Kind::kDecision;
  event.id = decision.id;
  event.data = decision_record(decision);
  perform(live, live->run->take(std::move(event)));
}

void AgentPool::look_at_threads() {
  const std::map<std::string, Shared, std::less<>> runs = runs_;
  for (const auto& entry : runs) {
    if (entry.second->run->machine() == nullptr) continue;
    auto effects = entry.second->run->catch_up();
    perform(entry.second, std::move(effects));
  }
}

void AgentPool::finish_if_over(const Shared& live) {
  const AgentMachine* machine = live->run->machine();
  if (machine == nullptr) return;
  const auto is_its = [&](const auto& entry) { return entry.second == live; };
  const bool is_left = machine->state().is_parked() && !machine->state().is_over() &&
                       std::ranges::none_of(requests_, is_its);
  if (machine->is_complete() || is_left) finish(live, std::nullopt);
}

void AgentPool::finish(const Shared& live, std::optional<Error> error) {
  if (live->is_finished) return;
  live->is_finished = true;
  AgentOutcome outcome;
  outcome.run = live->run->id();
  outcome.thread = live->run->order().thread;
  outcome.state = live->run->state();
  outcome.error = std::move(error);
  outcome.had_ended = live->run->had_ended();
  outcome.leaves_result = live->leaves_result;
  std::erase_if(requests_, [&](const auto& entry) { return entry.second == live; });
  std::erase_if(waiting_, [&](const auto& entry) { return entry.second == live; });
  runs_.erase(outcome.run);
  const AgentStep* step = outcome.state.step();
  if (outcome.state.is_over() && step != nullptr && !step->approval.empty() && !step->is_decided) {
    withdraw(step->approval, "its run has ended");
  }
  const bool has_stale = std::ranges::any_of(
      outcome.state.steps(), [](const AgentStep& one) { return !one.stale_approvals.empty(); });
  if (outcome.state.is_over() && (has_stale || !outcome.state.damage().empty())) {
    tell(approvals_.withdraw_waiting(
        outcome.run, has_stale ? "its run has ended" : "records of its run are damaged"));
  }
  // The thread is free for others before this is said.
  live->run.reset();
  on_end_(outcome);
}

void AgentPool::end_all(bool is_cancelled, const std::string& why) {
  const std::map<std::string, Shared, std::less<>> runs = runs_;
  for (const auto& entry : runs) {
    const Shared& live = entry.second;
    std::optional<Error> error;
    if (live->run->machine() != nullptr && !live->run->state().is_over()) {
      const std::string approval = live->run->machine()->awaited_approval();
      if (is_cancelled && !approval.empty()) withdraw(approval, why);
      const auto ended =
          is_cancelled ? live->run->cancel_at_once(why) : live->run->interrupt(false, why);
      if (!ended) error = ended.error();
    }
    // Nobody waits here any more for what it came to; others do.
    if (!error && live->run->state().is_over()) {
      const auto left = leave_result_request(layout_, labels_of(*live->run), live->run->state(),
                                             options_.durability);
      if (!left) observer_.on_notice(left.error().message);
      live->leaves_result = left && *left;
    }
    finish(live, std::move(error));
  }
}

}  // namespace filecall::client
