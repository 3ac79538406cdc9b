// SPDX-License-Identifier: MIT
#include "client/agent/core/branch_course.h"

#include <fmt/core.h>

#include <algorithm>

#include "client/agent/core/agent_ids.h"
#include "client/agent/core/record_member.h"
#include "client/agent/core/result_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kSubjectBytes = 72;
constexpr std::size_t kListedMax = 200;
/// Of one step.
constexpr int kCommitsMax = 3;
constexpr const char* kStepTrailer = "Agent-Step";

std::string step_name(const std::string& run, std::int64_t step) {
  return fmt::format("{}.{}", run, step);
}

/// One line for a commit: git shows no more of it.
std::string subject_of(const AgentStep& step, const std::string& run) {
  std::string text;
  for (const char c : step.commentary) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return fmt::format("Step {} of {}", step.number, run);
  text.erase(0, begin);
  text = leading_text(text, kSubjectBytes);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool has_trailer(const std::string& message, const std::string& line) {
  return ("\n" + message + "\n").find("\n" + line + "\n") != std::string::npos;
}

bool is_listed(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (!text.empty() && !is_listed(list, text)) list.push_back(std::move(text));
}

/// A list with the given members of each, as far as it is shown.
Json short_list(const Json& list, std::initializer_list<const char*> members) {
  Json out = Json::array();
  for (const Json& one : list) {
    if (out.size() >= kListedMax) break;
    Json kept = Json::object();
    for (const char* name : members) kept[name] = value_at(one, name);
    out.push_back(std::move(kept));
  }
  return out;
}

Json merge_data(const Json& data) {
  const Json& changes = value_at(data, "changes");
  const Json& conflicts = value_at(data, "conflicts");
  const bool is_whole = changes.size() <= kListedMax && conflicts.size() <= kListedMax;
  return {{"result", text_at(data, "result")},
          {"base", text_at(data, "base")},
          {"ours", text_at(data, "ours")},
          {"theirs", text_at(data, "theirs")},
          {"changes", short_list(changes, {"path", "status"})},
          {"conflicts", short_list(conflicts, {"path", "kind"})},
          {"complete", flag_at(data, "complete") && is_whole}};
}

BranchSetup ignore_file() {
  return {"ignore",
          "file.create",
          {{"path", std::string(kBranchFolder) + "/.gitignore"}, {"content", "*\n"}}};
}

BranchSetup create_branch(const RunBranch& branch) {
  return {"create",
          "git.branch",
          {{"action", "create"}, {"name", branch.name}, {"start", branch.base}}};
}

BranchSetup add_worktree(const RunBranch& branch) {
  return {"worktree",
          "git.worktree",
          {{"action", "add"}, {"path", branch.path}, {"branch", branch.name}}};
}

BranchSetup remove_worktree(const RunBranch& branch) {
  return {"remove", "git.worktree", {{"action", "remove"}, {"path", branch.path}, {"force", true}}};
}

std::vector<AgentRecord> ended_without_branch(const std::string& why) {
  std::vector<AgentRecord> records;
  records.push_back({"run.ended",
                     {{"status", std::string(to_string(AgentEnd::kFailed))},
                      {"reason", why + "; --editing proposal needs no branch"}}});
  return records;
}

}  // namespace

BranchCourse::Records BranchCourse::ask(const std::string& what, const std::string& id,
                                        const std::string& command, Json params,
                                        std::int64_t step) const {
  const CatalogTool* tool = catalog_.find_any(command);
  if (tool == nullptr) {
    Json data = {{"what", what},
                 {"status", "unimplemented"},
                 {"message", command + ": the worker does not serve it"}};
    if (step > 0) data["step"] = step;
    return {{"branch.answered", std::move(data)}};
  }
  const bool has_effects =
      what == "ignore" || what == "create" || what == "worktree" || what == "remove";
  Json data = {{"what", what},
               {"request_id", id},
               {"command", command},
               {"params", std::move(params)},
               {"effects", has_effects}};
  if (step > 0) data["step"] = step;
  return {{"branch.asked", std::move(data)}};
}

BranchCourse::Records BranchCourse::check_setup() const {
  const RunBranch& branch = state_.branch();
  for (const BranchSetup& one : {ignore_file(), create_branch(branch), add_worktree(branch)}) {
    CallFacts facts;
    facts.tool = one.command;
    facts.args = one.params;
    facts.now = now_;
    // The person who began the run asked for the branch. What a rule denies stays denied.
    const Ruling ruling = judge_.decide(facts, state_);
    if (ruling.decision != "deny") continue;
    const std::string why = ruling.deny_reason.empty() ? ruling.rule : ruling.deny_reason;
    return ended_without_branch(
        fmt::format("the run's branch: {} is denied: {}", one.command, why));
  }
  return {};
}

BranchCourse::Records BranchCourse::ask_setup(const BranchSetup& setup) const {
  // Before the first of them, so that nothing is half made.
  if (Records records = check_setup(); !records.empty()) return records;
  return ask(setup.what, agent_ids::branch(run_, setup.what, state_.branch().tries + 1),
             setup.command, setup.params);
}

BranchCourse::Records BranchCourse::set_up() const {
  const RunBranch& branch = state_.branch();
  switch (branch.stage) {
    case RunBranch::Stage::kLook:
      return ask("look", agent_ids::branch(run_, "look", 1), "git.branch", {{"action", "list"}});
    case RunBranch::Stage::kIgnore:
      return ask_setup(ignore_file());
    case RunBranch::Stage::kCreate:
      return ask_setup(create_branch(branch));
    case RunBranch::Stage::kWorktree:
      return ask_setup(add_worktree(branch));
    case RunBranch::Stage::kRemove:
      return ask_setup(remove_worktree(branch));
    case RunBranch::Stage::kFailed:
      return ended_without_branch(
          fmt::format("the run's branch {}: {}", branch.name, branch.problem));
    case RunBranch::Stage::kNone:
    case RunBranch::Stage::kReady:
      break;
  }
  return {};
}

BranchCourse::Records BranchCourse::commit(const AgentStep& step) const {
  const RunBranch& branch = state_.branch();
  if (!branch.is_ready() || step.is_saved) return {};
  int commits = 0;
  bool may_have_changes = !branch.uncommitted.empty();
  for (const AgentCall& call : step.calls) {
    if (call.is_commit) {
      ++commits;
    } else if (call.has_effects && !call.request_id.empty()) {
      may_have_changes = true;
    }
  }
  if (!may_have_changes || commits >= kCommitsMax) return {};
  const std::string round = commits == 0 ? "" : fmt::format("-{}", commits + 1);
  const std::string name = step_name(run_, step.number);
  if (step.must_find_commit) {
    return ask("head", name + ".head" + round, "git.log", {{"repository", branch.path}, {"max", 1}},
               step.number);
  }
  if (!step.has_looked) {
    const std::string look = step.looks == 0 ? "" : fmt::format("-{}", step.looks + 1);
    return ask("changes", name + ".changes" + look, "git.status", {{"repository", branch.path}},
               step.number);
  }
  if (needs_checks(step)) {
    return {
        {"checks.planned", {{"step", step.number}, {"calls", state_.settings().check_calls()}}}};
  }
  return plan_commit(step);
}

/// The plan's own changes of files bring their checks along; those of its programs are known now.
bool BranchCourse::needs_checks(const AgentStep& step) const {
  return !state_.settings().checks.empty() && step.has_run_programs() && !step.has_checks() &&
         state_.ending() == AgentEnd::kNone && !state_.branch().uncommitted.empty();
}

BranchCourse::Records BranchCourse::plan_commit(const AgentStep& step) const {
  const RunBranch& branch = state_.branch();
  Json trailers = {{kStepTrailer, step_name(run_, step.number)}};
  const std::string thread = text_at(state_.settings().branch, "thread");
  if (!thread.empty()) trailers["Agent-Thread"] = thread;
  if (!step.decided_approval.empty()) trailers["Agent-Approval"] = step.decided_approval;
  Json args = {{"message", subject_of(step, run_)},
               {"paths", branch.uncommitted},
               {"trailers", std::move(trailers)},
               {"author", {{"name", "filecall agent"}, {"email", "agent@filecall.invalid"}}}};
  return {{"commit.planned", {{"step", step.number}, {"args", std::move(args)}}}};
}

BranchCourse::Records BranchCourse::preview_merge() const {
  const RunBranch& branch = state_.branch();
  if (!branch.is_ready() || branch.has_merge || branch.commits.empty()) return {};
  return ask("merge", agent_ids::branch(run_, "merge", branch.merges + 1), "git.mergePreview",
             {{"ours", branch.ours}, {"theirs", branch.name}});
}

Json BranchCourse::answer_of(const Response& response) const {
  const BranchRequest& asked = *state_.branch().open;
  Json answer = {{"what", asked.what}, {"request_id", asked.id}};
  if (asked.step > 0) answer["step"] = asked.step;
  answer["status"] =
      response.is_success() ? "success" : std::string(to_string(response.failure->code));
  if (!response.is_success()) {
    answer["message"] = response.failure->message;
    return answer;
  }
  if (asked.what == "look") take_look(response.data, answer);
  if (asked.what == "changes") take_changes(response.data, answer);
  if (asked.what == "head") take_head(response.data, answer);
  if (asked.what == "merge") answer["data"] = merge_data(response.data);
  if (asked.what == "worktree") {
    answer["path"] = text_at(response.data, "path");
    answer["directory"] = text_at(response.data, "directory");
  }
  return answer;
}

void BranchCourse::take_look(const Json& data, Json& answer) const {
  const std::string head = text_at(data, "head");
  if (head.empty()) {
    answer["status"] = "failed_precondition";
    answer["message"] = "the repository has no commit yet";
    return;
  }
  std::vector<std::string> taken;
  for (const Json& one : value_at(data, "branches")) taken.push_back(text_at(one, "name"));
  const std::string slug = branch_slug(state_.settings().goal, run_);
  std::string free = slug;
  for (int i = 2; is_listed(taken, std::string(kBranchPrefix) + free); ++i) {
    free = fmt::format("{}-{}", slug, i);
  }
  answer["branch"] = std::string(kBranchPrefix) + free;
  answer["path"] = fmt::format("{}/{}", kBranchFolder, free);
  answer["base"] = head;
  const std::string current = text_at(data, "branch");
  answer["ours"] = current.empty() ? head : current;
}

void BranchCourse::take_changes(const Json& data, Json& answer) const {
  std::vector<std::string> paths;
  std::vector<std::string> untracked;
  for (const Json& entry : value_at(data, "entries")) {
    const std::string path = text_at(entry, "path");
    const bool is_new = text_at(entry, "unstaged") == "untracked" && !entry.contains("staged");
    // What programs have left beside the model's changes is none of them: builds, caches.
    if (is_new && !is_listed(state_.files_changed(), path)) {
      if (untracked.size() < kListedMax) untracked.push_back(path);
      continue;
    }
    add_once(paths, path);
    add_once(paths, text_at(entry, "old_path"));
  }
  answer["paths"] = std::move(paths);
  answer["untracked"] = std::move(untracked);
  if (!flag_at(data, "complete", true)) {
    answer["message"] = "git.status names a part of what changed; the rest is in no commit yet";
  }
}

void BranchCourse::take_head(const Json& data, Json& answer) const {
  const Json& commits = value_at(data, "commits");
  if (!commits.is_array() || commits.empty()) return;
  const std::string line =
      fmt::format("{}: {}", kStepTrailer, step_name(run_, number_at(answer, "step")));
  if (!has_trailer(text_at(commits.front(), "message"), line)) return;
  answer["commit"] = text_at(commits.front(), "id");
}

}  // namespace filecall::client
