// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "worker/exec/file/file_rules.h"
#include "worker/exec/git/worktree_list.h"

namespace filecall::worker::git {

/// Which paths of a repository are not shown: those that file.hidden hides in one of its worktrees
/// (a pattern may count from a root). So a commit does not show what a worktree hides. Pure; any
/// thread; the rules outlive it.
class HiddenNames {
 public:
  HiddenNames(const file::FileRules& rules, std::vector<Location> worktrees)
      : rules_(&rules), worktrees_(std::move(worktrees)) {}

  /// `path` counts from a worktree's top.
  bool hides(std::string_view path) const;
  /// Whether a worktree that lies there hides it by itself.
  bool hides_at(std::string_view path, const Location& worktree) const;
  bool protects_at(std::string_view path, const Location& worktree) const;

 private:
  const file::FileRules* rules_;
  std::vector<Location> worktrees_;
};

/// A message with "(hidden)" in place of each word that names something hidden. Pure.
std::string without_hidden_words(const file::FileRules& rules, std::string_view text);

}  // namespace filecall::worker::git
