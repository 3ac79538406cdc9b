// SPDX-License-Identifier: MIT
#include "worker/exec/git/git_commands.h"

#include <utility>

#include "worker/exec/file/file_command.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/git/git_functions.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/hidden_names.h"

namespace filecall::worker::git {
namespace {

/// Flow control's name of this machine's repositories (destinations: {git: {concurrency: 8}}).
constexpr std::string_view kDestination = "git";

/// The work of a command whose messages name nothing that is hidden.
file::FileFunction hide_names_of(file::FileFunction work) {
  return [work = std::move(work)](const file::FileJob& job) {
    Outcome outcome = work(job);
    if (!outcome) {
      outcome.error().message = without_hidden_words(job.rules, outcome.error().message);
    }
    return outcome;
  };
}

/// Of a command with an `action`: to list changes nothing.
Effects effects_of_action(const Json& params) {
  return file::text_param(params, "action") == "list" ? Effects::kNone : Effects::kExternal;
}

}  // namespace

Result<std::vector<std::unique_ptr<Executor>>> make_git_commands(
    uv_loop_t* loop, file::FileConfig config,
    const std::function<std::string_view(std::string_view)>& schema_of) {
  prepare_git_library();
  TRY_ASSIGN(auto compiled, file::FileRules::compile(std::move(config)));
  const auto rules = std::make_shared<const file::FileRules>(std::move(compiled));
  std::vector<std::unique_ptr<Executor>> out;
  const auto add = [&](std::string_view name, std::string_view description, Effects effects,
                       Risk risk, file::FileFunction work, file::EffectsFunction effects_of) {
    CommandInfo info{std::string(name), std::string(description), schema_of(name), effects, risk};
    // They look whether they were cancelled before they change something, and not after that.
    info.tells_effects = effects == Effects::kExternal;
    out.push_back(std::make_unique<file::FileCommand>(loop, rules, std::move(info),
                                                      hide_names_of(std::move(work)), kDestination,
                                                      std::move(effects_of)));
  };
  add("git.status", "Lists what differs between HEAD, the index and the files of a repository.",
      Effects::kNone, Risk::kLow, run_status, nullptr);
  add("git.diff", "Shows changes of a repository as unified diffs: of files, staged or of commits.",
      Effects::kNone, Risk::kLow, run_diff, nullptr);
  add("git.log", "Lists the commits that lead to a commit, all or those that changed a path.",
      Effects::kNone, Risk::kLow, run_log, nullptr);
  add("git.branch",
      "Lists, creates and switches branches; a switch that would lose changes is refused.",
      Effects::kExternal, Risk::kMedium, run_branch, effects_of_action);
  add("git.commit", "Commits files of a worktree, or what is staged; other staged changes stay.",
      Effects::kExternal, Risk::kMedium, run_commit, nullptr);
  add("git.worktree",
      "Lists linked worktrees of a repository, adds one for a branch, or removes one.",
      Effects::kExternal, Risk::kHigh, run_worktree, effects_of_action);
  add("git.mergePreview", "Shows what a merge of two commits would come to; changes nothing.",
      Effects::kNone, Risk::kLow, run_merge_preview, nullptr);
  return out;
}

}  // namespace filecall::worker::git
