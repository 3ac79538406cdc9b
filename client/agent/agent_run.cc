// SPDX-License-Identifier: MIT
#include "client/agent/agent_run.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "client/agent/core/agent_ids.h"
#include "client/agent/core/budget_check.h"
#include "client/agent/core/call_route.h"
#include "client/agent/core/record_member.h"
#include "client/agent/result_labels.h"
#include "client/agent/run_past.h"
#include "client/agent/thread_past.h"
#include "client/approval/core/call.h"
#include "client/threads/run_lock.h"
#include "client/threads/run_records.h"
#include "client/threads/run_threads.h"
#include "client/threads/spilled_data.h"
#include "client/threads/thread_list.h"
#include "os/clock.h"

namespace filecall::client {
namespace {

/// The budgets with those that were given in their place; null: they are the same.
Json changed_budgets(const AgentBudgets& budgets, const Json& given) {
  if (!given.is_object() || given.empty()) return nullptr;
  Json merged = budgets.to_json();
  merged.update(given);
  const AgentBudgets changed = AgentBudgets::of(merged);
  return changed == budgets ? Json() : changed.to_json();
}

/// Whether a run may have been begun under this id: a request of it is there that follows from its
/// first record.
bool has_been_asked(const spool::Layout& layout, const std::string& run) {
  struct stat info {};
  return ::stat(layout.request(agent_ids::plan(run, 1, 1, 0)).c_str(), &info) == 0;
}

/// By its note; one that is missing is written again. Threads are looked through only where the run
/// can be in one, since most runs are new.
Result<std::optional<RunPlace>> place_of_known_run(const spool::Layout& layout,
                                                   const std::string& run, Durability durability) {
  auto noted = find_run_place(layout, run);
  const bool is_whole = noted && *noted;
  if (is_whole || !has_been_asked(layout, run)) return noted;
  TRY_ASSIGN(const auto place, look_for_run(layout, run));
  if (place) TRY(note_run_place(layout, run, *place, durability));
  return place;
}

/// Failure: data_loss, the thread's file is shorter than it was when the run began.
Result<void> check_reaches(const spool::Layout& layout, const std::string& run,
                           const RunPlace& place) {
  const std::string path = layout.thread(place.thread);
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && info.st_size >= place.offset) return {};
  return fail(ErrorCode::kDataLoss,
              fmt::format("run {}: its records are gone: {} is missing, or ends before them; give "
                          "another --run and --thread",
                          run, path));
}

}  // namespace

std::string AgentRun::catalog_request() const {
  const std::string& named =
      loaded_.has_begun() ? loaded_.settings().catalog_request : order_.settings.catalog_request;
  return named.empty() ? agent_ids::catalog(order_.run) : named;
}

std::string AgentRun::other_catalog_request() const {
  return agent_ids::again(order_.run, seen_seq_);
}

std::string AgentRun::wake_request() const {
  const AgentStep* step = loaded_.step();
  if (step == nullptr || loaded_.is_over() || !step->has_calls_left()) return {};
  for (const Json& call : value_at(step->approval_request, "calls")) {
    if (value_at(call, "sandbox").is_object() || is_of_files(text_at(call, "toolId"))) {
      return other_catalog_request();
    }
  }
  return {};
}

Result<std::unique_ptr<AgentRun>> AgentRun::open(const spool::Layout& layout, AgentOrder order,
                                                 Durability durability, AgentObserver& observer) {
  std::unique_ptr<AgentRun> run(new AgentRun(layout, std::move(order), observer));
  const std::string& id = run->order_.run;
  TRY_ASSIGN(auto place, place_of_known_run(layout, id, durability));
  const bool is_known = place.has_value();
  if (place && place->thread != run->order_.thread) {
    return run_is_elsewhere(id, place->thread);
  }
  if (place) {
    // Opened to be written, the thread would begin again.
    TRY(check_reaches(layout, id, *place));
    const auto summary = summarise_thread(layout, run->order_.thread);
    if (summary && summary->is_deleted) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("run {}: its thread {} was deleted, so it cannot go on; 'filecall "
                              "agent show {}' shows its records",
                              id, run->order_.thread, id));
    }
  }
  ThreadLogOptions options;
  options.durability = durability;
  options.title = run->order_.thread_title;
  options.holder = run_holder(id);
  options.now = wall_now();
  options.on_notice = [&observer](const std::string& text) { observer.on_notice(text); };
  TRY_ASSIGN(run->log_, ThreadLog::open(layout, run->order_.thread, std::move(options)));
  run->seen_seq_ = run->log_->last_seq();
  if (!is_known) {
    // Another process may have begun it until the thread was ours.
    TRY_ASSIGN(place, place_of_known_run(layout, id, durability));
    if (place && place->thread != run->order_.thread) return run_is_elsewhere(id, place->thread);
  }
  if (place) TRY(run->load());
  if (!is_known && run->loaded_.has_begun() && !run->loaded_.is_over()) {
    // The order was made for a run that was not there.
    return fail(ErrorCode::kUnavailable,
                fmt::format("run {}: another process has begun it meanwhile; give the same command "
                            "again to continue it",
                            id));
  }
  if (!run->loaded_.has_begun()) TRY(run->fill_from_thread());
  return run;
}

Result<void> AgentRun::load() {
  auto past = read_run_past(layout_, order_.thread, order_.run, {},
                            [this](const std::string& where) { observer_.on_notice(where); });
  // The note of its place was written, and its first record was not.
  if (!past && past.error().code == ErrorCode::kNotFound) return {};
  if (!past) return Unexpected(past.error());
  TRY(check_has_begun(*past, order_.run));
  loaded_ = std::move(past->state);
  seen_seq_ = std::max(seen_seq_, past->last_seq);
  if (const std::string other = other_settings(order_.named, loaded_.settings()); !other.empty()) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("run {}: {}; give another --run for a run with other settings",
                            order_.run, other));
  }
  if (order_.metadata.empty()) order_.metadata = task_of_run(layout_, order_.run, loaded_);
  const std::string& goal = order_.settings.goal;
  if (!goal.empty() && goal != loaded_.settings().goal) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("run {}: it has another goal; give another --run, or no goal with "
                            "'filecall agent resume {}'",
                            order_.run, order_.run));
  }
  return {};
}

Result<void> AgentRun::fill_from_thread() {
  TRY_ASSIGN(ThreadPast past, read_thread_past(layout_, order_.thread));
  order_.settings.earlier = std::move(past.messages);
  order_.settings.todo = std::move(past.todo);
  order_.settings.granted = std::move(past.granted);
  return {};
}

std::string AgentRun::catalog_key() const {
  const AgentSettings& settings = loaded_.has_begun() ? loaded_.settings() : order_.settings;
  return dump_json({catalog_request(), settings.tools, order_.policy.digest(),
                    std::string(to_string(settings.editing))});
}

bool AgentRun::needs_catalog() const {
  if (!loaded_.has_begun()) return true;
  if (!loaded_.damage().empty()) return false;
  if (!loaded_.is_over()) return true;
  const Json budgets = changed_budgets(loaded_.settings().budgets, order_.given_budgets);
  return !budgets.is_null() && can_continue_with(loaded_, budgets, wall_now());
}

Result<std::vector<AgentEffect>> AgentRun::begin(std::shared_ptr<ToolCatalog> catalog) {
  CHECK(machine_ == nullptr, "a run begins once");
  if (catalog == nullptr) catalog = std::make_shared<ToolCatalog>();
  judge_ = std::make_unique<PolicyJudge>(order_);
  judge_->set_estimates(estimates_);
  judge_->set_tool_directory(text_at(catalog->tool_sandbox(), "directory"));
  judge_->set_file_directory(catalog->file_directory());
  const std::string catalog_digest = catalog->digest();
  runs_programs_ = may_run_programs(*catalog);
  machine_ = std::make_unique<AgentMachine>(order_.run, loaded_, std::move(catalog), *judge_);
  AgentEvent event;
  event.now = wall_now();
  if (!loaded_.has_begun()) {
    event.kind = AgentEvent::Kind::kBegin;
    order_.settings.catalog_digest = catalog_digest;
    order_.settings.policy_digest = order_.policy.digest();
    order_.settings.scenario_digest = order_.scenario_digest;
    order_.settings.hidden = order_.policy.denied_tools();
    if (order_.settings.editing == Editing::kBranch) {
      order_.settings.branch = {{"thread", order_.thread}};
    }
    if (!order_.metadata.empty()) order_.settings.task = order_.metadata;
    event.data = order_.settings.to_json();
    return take(std::move(event));
  }
  if (!loaded_.damage().empty()) {  // Nothing follows from its records but its end.
    if (!order_.given_budgets.empty() && loaded_.is_over()) {
      observer_.on_notice(fmt::format(
          "run {}: it stays ended: its records are damaged, so it cannot go on", order_.run));
    }
    return take(std::move(event));
  }
  const AgentSettings& settings = loaded_.settings();
  Json changed = Json::object();
  if (settings.policy_digest != order_.policy.digest()) {
    changed["policy_digest"] = order_.policy.digest();
    changed["hidden"] = order_.policy.denied_tools();
  }
  if (!order_.scenario_digest.empty() && settings.scenario_digest != order_.scenario_digest) {
    changed["scenario_digest"] = order_.scenario_digest;
  }
  if (Json budgets = changed_budgets(settings.budgets, order_.given_budgets); !budgets.is_null()) {
    changed["budgets"] = std::move(budgets);
  }
  const bool has_budgets = changed.contains("budgets");
  event.data = std::move(changed);
  auto effects = take(std::move(event));
  if (has_budgets && state().is_over()) {
    observer_.on_notice(
        state().end() == AgentEnd::kBudget
            ? fmt::format("run {}: it stays ended, since {}; name a budget beyond what it has used",
                          order_.run, state().end_reason())
            : fmt::format("run {}: it has ended ({}); only a run that ended on a budget goes on "
                          "with another one",
                          order_.run, to_string(state().end())));
  }
  return effects;
}

bool AgentRun::may_run_programs(const ToolCatalog& catalog) const {
  constexpr std::string_view kTool = "tool.run";
  const AgentSettings& settings = loaded_.has_begun() ? loaded_.settings() : order_.settings;
  const auto is_shown = [&](const std::string& glob) { return fits_tool_glob(glob, kTool); };
  const auto runs = [&](const AgentCall& call) { return call.tool == kTool; };
  if (catalog.find_any(kTool) == nullptr) return false;
  if (!settings.checks.empty() || std::ranges::any_of(settings.tools, is_shown)) return true;
  return loaded_.step() != nullptr && std::ranges::any_of(loaded_.step()->calls, runs);
}

Json AgentRun::other_place(const WorkerPlace& now) const {
  const AgentStep* step = state().step();
  if (step == nullptr || state().is_over() || !step->has_calls_left()) return {};
  const Json confines = sandbox_json(now.sandbox);
  std::string directory = now.file_directory;
  if (state().branch().is_ready()) directory += "/" + state().branch().path;
  for (const Json& call : value_at(step->approval_request, "calls")) {
    const Json& shown = value_at(call, "sandbox");
    if (shown.is_object() && shown != confines) return {{"sandbox", confines}};
    // A worker that says nothing of it has no such commands.
    if (now.file_directory.empty() || !is_of_files(text_at(call, "toolId"))) continue;
    const std::string was = text_at(call, "workingDirectory");
    if (!was.empty() && was != directory) return {{"file_directory", now.file_directory}};
  }
  return {};
}

Result<std::vector<AgentEffect>> AgentRun::take(AgentEvent event) {
  CHECK(machine_ != nullptr, "a run has its catalog first");
  if (event.now == WallTime{}) event.now = wall_now();
  // As its records will have it: the run is what they say, to the millisecond.
  event.now = std::chrono::floor<std::chrono::milliseconds>(event.now);
  hold_to_place(event);
  AgentTurn turn = machine_->step(event);
  TRY(write(turn, event.now));
  for (const AgentRecord& record : turn.records) {
    observer_.on_record(order_.run, record, machine_->state());
  }
  return std::move(turn.effects);
}

/// A worker may have been started with another configuration meanwhile: what runs is what was
/// shown, where it was shown.
void AgentRun::hold_to_place(AgentEvent& event) {
  // A look reads the worker's status and what it has open. Without programs it is enough when a
  // plan is there, whose calls are decided on then, and when a person has decided.
  const AgentStep* step = state().step();
  const bool is_plan = step != nullptr && event.id == step->plan_request;
  if (event.kind == AgentEvent::Kind::kAnswer && !is_plan && !runs_programs_) return;
  const auto place = place_of_worker(layout_.root());
  if (!place) return;  // What the last one said holds until the next one says otherwise.
  judge_->set_sandbox(place->sandbox);
  if (!place->file_directory.empty()) judge_->set_file_directory(place->file_directory);
  Json other = other_place(*place);
  if (other.is_null()) return;
  if (event.kind == AgentEvent::Kind::kDecision) {
    event.kind = AgentEvent::Kind::kResume;
    event.data = std::move(other);
  } else if (event.kind == AgentEvent::Kind::kResume) {
    event.data.update(other);
  }
}

Result<void> AgentRun::write(const AgentTurn& turn, WallTime now) {
  if (turn.records.empty()) return {};
  std::vector<NewRecord> records;
  for (const AgentRecord& record : turn.records) {
    records.push_back({record.type, order_.run, record.data});
    // What was said stands in the thread for later runs, too.
    if (record.type == "run.begun") {
      records.push_back(
          {"message", order_.run, {{"role", "user"}, {"text", text_at(record.data, "goal")}}});
    } else if (record.type == "report.answered") {
      records.push_back(
          {"message", order_.run, {{"role", "assistant"}, {"text", text_at(record.data, "text")}}});
    }
  }
  const auto count = static_cast<std::int64_t>(records.size());
  TRY_ASSIGN(const std::int64_t last, log_->append_all(std::move(records), now));
  for (std::int64_t seq = last - count + 1; seq <= last; ++seq) own_.insert(seq);
  return {};
}

Result<std::vector<AgentEffect>> AgentRun::take_answer(const std::string& id,
                                                       std::shared_ptr<const Response> response) {
  AgentEvent event;
  event.kind = AgentEvent::Kind::kAnswer;
  event.id = id;
  event.response = std::move(response);
  return take(std::move(event));
}

Result<void> AgentRun::interrupt(bool is_twice, const std::string& why) {
  AgentEvent event;
  event.kind = is_twice ? AgentEvent::Kind::kCancel : AgentEvent::Kind::kPark;
  event.text = why;
  TRY(take(std::move(event)));
  return {};
}

Result<void> AgentRun::cancel_at_once(const std::string& why) {
  TRY(interrupt(true, why));
  auto given_up = std::make_shared<Response>();
  given_up->failure =
      Failure::of({ErrorCode::kCancelled, why + "; what it had done by then is not known"});
  const std::set<std::string> open = machine_->open_effects();
  for (const std::string& id : open) {
    if (state().is_over()) break;
    TRY(take_answer(id, given_up));
  }
  return {};
}

std::int64_t AgentRun::log_bytes() const {
  struct stat info {};
  return ::stat(layout_.thread(order_.thread).c_str(), &info) == 0 ? info.st_size : -1;
}

Result<std::vector<AgentEffect>> AgentRun::catch_up() {
  std::vector<AgentEffect> effects;
  if (machine_ == nullptr || !state().has_begun()) return effects;
  if (!others_) {
    TRY_ASSIGN(ThreadReader reader, ThreadReader::open_at_run(layout_, order_.thread, order_.run));
    others_.emplace(std::move(reader));
  }
  for (;;) {
    TRY_ASSIGN(const auto record, others_->next());
    if (!record) break;
    if (own_.erase(record->seq) > 0 || record->seq <= seen_seq_) continue;
    if (record->run != order_.run) continue;
    if (record->type != "steer" && record->type != "run.cancelled") continue;
    AgentEvent event;
    event.kind = AgentEvent::Kind::kRecorded;
    event.id = record->type;
    TRY_ASSIGN(event.data, whole_value(layout_, record->data));
    const AgentRecord heard{record->type, event.data};
    TRY_ASSIGN(std::vector<AgentEffect> more, take(std::move(event)));
    observer_.on_record(order_.run, heard, machine_->state());
    effects.insert(effects.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
  }
  return effects;
}

}  // namespace filecall::client
