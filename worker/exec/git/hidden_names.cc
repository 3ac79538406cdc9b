// SPDX-License-Identifier: MIT
#include "worker/exec/git/hidden_names.h"

#include <fmt/core.h>

#include <algorithm>

namespace filecall::worker::git {
namespace {

constexpr std::string_view kNotShown = "(hidden)";

std::string path_in(const Location& worktree, std::string_view path) {
  return worktree.path == "." ? std::string(path) : fmt::format("{}/{}", worktree.path, path);
}

/// A word of a message that may be a path.
bool is_hidden_word(const file::FileRules& rules, std::string_view word) {
  while (word.starts_with('/')) word.remove_prefix(1);
  return !word.empty() && rules.hidden.has(word);
}

}  // namespace

bool HiddenNames::hides_at(std::string_view path, const Location& worktree) const {
  return rules_->hides(path_in(worktree, path), worktree.root_path);
}

bool HiddenNames::protects_at(std::string_view path, const Location& worktree) const {
  return rules_->protects(path_in(worktree, path), worktree.root_path);
}

bool HiddenNames::hides(std::string_view path) const {
  return rules_->hidden.has(path) || std::ranges::any_of(worktrees_, [&](const Location& worktree) {
           return hides_at(path, worktree);
         });
}

std::string without_hidden_words(const file::FileRules& rules, std::string_view text) {
  constexpr std::string_view kEnds = " '\"\n";
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kEnds), text.size());
    const std::string_view word = text.substr(0, end);
    out += is_hidden_word(rules, word) ? kNotShown : word;
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace filecall::worker::git
