// SPDX-License-Identifier: MIT
#include "worker/exec/git/revision.h"

#include <fmt/core.h>

#include <algorithm>

#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

constexpr std::string_view kSteps = "~^";
/// What no name of a branch has.
constexpr std::string_view kNever = ":?*[\\ {}";
/// "~~~..." and "~1000000000" are walks.
constexpr std::size_t kRevisionSize = 300;
constexpr std::size_t kStepDigits = 5;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "~2^1~": only steps, each with a small number or none.
bool are_steps(std::string_view text) {
  while (!text.empty()) {
    if (kSteps.find(text.front()) == kSteps.npos) return false;
    text.remove_prefix(1);
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    if (digits > kStepDigits) return false;
    text.remove_prefix(digits);
  }
  return true;
}

}  // namespace

bool is_revision(std::string_view text) {
  if (text.size() > kRevisionSize) return false;
  const std::size_t steps = std::min(text.find_first_of(kSteps), text.size());
  const std::string_view name = text.substr(0, steps);
  if (name.empty() || name.starts_with('-') || name.find("@{") != name.npos ||
      name.find("..") != name.npos) {
    return false;
  }
  const bool is_name = std::ranges::none_of(name, [](char c) {
    return kNever.find(c) != kNever.npos || static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
  return is_name && are_steps(text.substr(steps));
}

Result<CommitHandle> find_commit(git_repository* repository, const std::string& revision,
                                 std::string_view pointer) {
  if (!is_revision(revision)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: '{}' does not name a commit: a branch, a tag or an id may stand "
                            "there, with '~2' or '^2' behind it",
                            pointer, revision));
  }
  const std::string what = fmt::format("{}: '{}'", pointer, revision);
  ObjectHandle object;
  int status = ::git_revparse_single(Out(object), repository, revision.c_str());
  if (status == GIT_ENOTFOUND) {
    return fail(ErrorCode::kNotFound, fmt::format("{}: no branch, tag or commit of this name (see "
                                                  "git.branch and git.log)",
                                                  what));
  }
  if (status < 0) return git_failed(status, what);
  ObjectHandle commit;
  status = ::git_object_peel(Out(commit), object.get(), GIT_OBJECT_COMMIT);
  if (status < 0) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: names no commit", what));
  }
  // A git_commit is a git_object whose type says so.
  return CommitHandle(reinterpret_cast<git_commit*>(commit.release()));
}

Result<CommitHandle> head_commit(git_repository* repository) {
  git_oid id;
  const int status = ::git_reference_name_to_id(&id, repository, "HEAD");
  CommitHandle commit;
  if (status == GIT_ENOTFOUND) return commit;
  if (status < 0) return git_failed(status, "HEAD");
  const int found = ::git_commit_lookup(Out(commit), repository, &id);
  if (found < 0) return git_failed(found, "HEAD's commit");
  return commit;
}

Result<TreeHandle> tree_of(const git_commit* commit) {
  TreeHandle tree;
  if (commit == nullptr) return tree;
  const int status = ::git_commit_tree(Out(tree), commit);
  if (status < 0) return git_failed(status, "the files of a commit");
  return tree;
}

}  // namespace filecall::worker::git
