// SPDX-License-Identifier: MIT
#include "client/agent/core/run_branch.h"

#include <fmt/core.h>

#include "base/shell_word.h"
#include "client/agent/core/record_member.h"

namespace filecall::client {
namespace {

using BranchStage = RunBranch::Stage;

/// Of a slug: what of the goal is in it.
constexpr std::size_t kGoalBytesMax = 40;

/// Where the next attempt puts the worktree: the place before is taken, or half of it is there.
std::string next_place(const std::string& name, int tries) {
  const std::string slug = name.substr(kBranchPrefix.size());
  return fmt::format("{}/{}-{}", kBranchFolder, slug, tries + 1);
}

}  // namespace

std::string branch_slug(std::string_view goal, std::string_view run) {
  std::string slug;
  std::string word;
  const auto add_word = [&] {
    const bool fits = slug.size() + word.size() + 1 <= kGoalBytesMax;
    if (!word.empty() && fits) slug += (slug.empty() ? "" : "-") + word;
    word.clear();
    return fits;
  };
  bool is_open = true;
  for (const char c : goal) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      word += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!add_word()) {
      is_open = false;
      break;
    }
  }
  if (is_open) add_word();
  constexpr std::string_view kRun = "run-";
  if (run.starts_with(kRun)) run.remove_prefix(kRun.size());
  return slug + (slug.empty() ? "run-" : "-") + std::string(run);
}

void RunBranch::fold(std::string_view type, const Json& data) {
  if (type == "branch.asked") {
    open = BranchRequest{text_at(data, "what"),       number_at(data, "step"),
                         text_at(data, "request_id"), text_at(data, "command"),
                         value_at(data, "params"),    flag_at(data, "effects")};
    return;
  }
  if (type != "branch.answered") return;
  open.reset();
  const std::string what = text_at(data, "what");
  const std::string status = text_at(data, "status");
  if (what == "changes") {
    problem = text_at(data, "message");
    uncommitted = texts_at(data, "paths");
    untracked = texts_at(data, "untracked");
  } else if (what == "merge") {
    has_merge = true;
    ++merges;
    merge = value_at(data, "data");
    merge_error = text_at(data, "message");
  } else if (what != "head") {
    take_setup(what, status, data);
  }
}

void RunBranch::take_setup(const std::string& what, const std::string& status, const Json& data) {
  const bool is_done = status == "success";
  const bool is_interrupted = status == "aborted" && tries < kBranchTriesMax;
  problem = text_at(data, "message");
  if (what == "look") {
    name = text_at(data, "branch");
    path = text_at(data, "path");
    base = text_at(data, "base");
    ours = text_at(data, "ours");
    stage = is_done ? BranchStage::kIgnore : BranchStage::kNone;
    if (!is_done) why_not = problem;
  } else if (is_interrupted && what != "worktree") {
    ++tries;
  } else if (what == "ignore") {
    stage = is_done || status == "already_exists" ? BranchStage::kCreate : BranchStage::kFailed;
    tries = 0;
  } else if (what == "create") {
    // The name was free when it was chosen: what an interrupted attempt has made is the run's.
    const bool is_ours = is_done || (status == "already_exists" && tries > 0);
    stage = is_ours ? BranchStage::kWorktree : BranchStage::kFailed;
    tries = 0;
  } else if (what == "worktree") {
    if (is_done) {
      path = text_at(data, "path");
      directory = text_at(data, "directory");
      stage = BranchStage::kReady;
    } else if (status == "already_exists" && tries < kBranchTriesMax) {
      path = next_place(name, ++tries);
    } else {
      stage = is_interrupted ? BranchStage::kRemove : BranchStage::kFailed;
    }
  } else if (what == "remove") {
    // A worktree without files of its own counts as gone; the next one gets another place.
    const bool is_gone = is_done || status == "not_found";
    stage = is_gone ? BranchStage::kWorktree : BranchStage::kFailed;
    path = next_place(name, ++tries);
  }
  if (stage != BranchStage::kFailed && stage != BranchStage::kNone) problem.clear();
}

Json RunBranch::to_json() const {
  if (name.empty() || !is_ready()) return nullptr;
  Json next = Json::object();
  for (const Next& one : next_commands()) next[one.what] = one.command;
  Json json = {{"name", name},
               {"worktree", path},
               {"directory", directory},
               {"base", base},
               {"into", ours},
               {"commits", commits},
               {"uncommitted", uncommitted},
               {"untracked", untracked},
               {"merge", merge},
               {"next", std::move(next)}};
  if (has_unseen) json["unseen"] = true;
  if (!problem.empty()) json["problem"] = problem;
  if (!merge_error.empty()) json["merge_error"] = merge_error;
  return json;
}

std::string_view RunBranch::repository() const {
  std::string_view whole = directory;
  const std::string ending = "/" + path;
  if (!whole.ends_with(ending)) return {};
  whole.remove_suffix(ending.size());
  return whole;
}

std::vector<RunBranch::Next> RunBranch::next_commands() const {
  const std::string_view top = repository();
  const std::string git = top.empty() ? "git" : "git -C " + shell_word(top);
  std::vector<Next> commands;
  if (!commits.empty()) {
    commands.push_back({"look", fmt::format("{} diff {}", git, shell_word(ours + "..." + name))});
    commands.push_back({"merge", fmt::format("{} merge {}", git, shell_word(name))});
  }
  // What is not merged is not lost. What is in no commit goes: who shows this says what that is.
  const bool has_more = !uncommitted.empty() || !untracked.empty();
  commands.push_back(
      {"remove", fmt::format("{} worktree remove {}{} && {} branch -d {}", git,
                             has_more ? "--force " : "", shell_word(path), git, shell_word(name))});
  return commands;
}

std::string branch_text(const RunBranch& branch) {
  return branch.is_ready() ? dump_json(branch.to_json()) : std::string();
}

}  // namespace filecall::client
