// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::client {

/// What a run asks of git for itself, beside the calls of its model. Plain data.
struct BranchRequest {
  std::string
      what;  ///< "look", "ignore", "create", "worktree", "remove"; "changes", "head"; "merge"
  std::int64_t step = 0;  ///< Of "changes" and "head".
  std::string id;
  std::string command;
  Json params;
  bool has_effects = false;
};

/// The branch and the worktree that a run changes files in, as its records tell it: so that the
/// files that people work on stay as they are. Plain data, but for fold().
struct RunBranch {
  enum class Stage : std::uint8_t {
    kNone,      ///< The run has none.
    kLook,      ///< Which repository, which branches.
    kIgnore,    ///< A file that keeps git from showing worktrees as files of the repository.
    kCreate,    ///< The branch.
    kWorktree,  ///< Its worktree.
    kRemove,    ///< What an interrupted one has left.
    kReady,
    kFailed,
  };
  Stage stage = Stage::kNone;
  std::string name;
  std::string path;       ///< Of the worktree, as file.* and git.* name it.
  std::string directory;  ///< The same, absolute, for tool.run.
  std::string base;       ///< The commit that it began at.
  std::string ours;       ///< What it is merged into: the branch that was checked out, or base.
  int tries = 0;          ///< Of the present stage, that were interrupted or found a place taken.
  std::string problem;    ///< Why it failed; why the last commit was not made.
  std::string why_not;    ///< Why changes are proposed instead.
  std::optional<BranchRequest> open;
  Json commits = Json::array();          ///< {commit, step}
  std::vector<std::string> uncommitted;  ///< Changed, and in no commit.
  std::vector<std::string> untracked;    ///< Left by programs, and not the model's.
  bool has_unseen = false;               ///< What programs changed last is not known.
  bool has_merge = false;
  int merges = 0;  ///< Previews that were answered.
  Json merge;      ///< What git.mergePreview says, without texts; null: it failed.
  std::string merge_error;

  bool is_ready() const { return stage == Stage::kReady; }
  bool is_being_made() const { return stage != Stage::kNone && stage != Stage::kReady; }
  /// Takes branch.asked and branch.answered.
  void fold(std::string_view type, const Json& data);
  /// For the result of a run and its report: null without a branch.
  Json to_json() const;
  /// What a person types to look at the branch, to merge it and to take it away.
  struct Next {
    const char* what;
    std::string command;
  };
  std::vector<Next> next_commands() const;
  /// The repository's own directory, as far as the worktree's says it; empty: not.
  std::string_view repository() const;

 private:
  void take_setup(const std::string& what, const std::string& status, const Json& data);
};

/// What a report may be made of, beside results of tools; empty without a branch.
std::string branch_text(const RunBranch& branch);

/// "ai-agent/" and this is the branch of a run: words of its goal and its id.
std::string branch_slug(std::string_view goal, std::string_view run);

inline constexpr std::string_view kBranchFolder = ".ai-agent";
inline constexpr std::string_view kBranchPrefix = "ai-agent/";
/// Which attempts there are for one thing that was interrupted.
inline constexpr int kBranchTriesMax = 5;

}  // namespace filecall::client
