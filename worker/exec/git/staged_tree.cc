// SPDX-License-Identifier: MIT
#include "worker/exec/git/staged_tree.h"

#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

/// Adds the entries of `from` that are hidden, or those that are not. False: there was none.
Result<bool> copy_entries(const OpenRepository& repository, git_index* from, bool hidden,
                          git_index* to) {
  bool has_some = false;
  for (std::size_t i = 0; i < ::git_index_entrycount(from); ++i) {
    git_index_entry entry = *::git_index_get_byindex(from, i);
    if (repository.hidden.hides(entry.path) != hidden) continue;
    has_some = true;
    if (to == nullptr) continue;
    const int status = ::git_index_add(to, &entry);
    if (status < 0) return git_failed(status, "the staged files");
  }
  return has_some;
}

}  // namespace

Result<StagedTree> write_staged_tree(const OpenRepository& repository, git_index* index,
                                     git_tree* head) {
  IndexHandle before;
  IndexHandle own;
  int status = ::git_index_new(Out(before));
  if (status == 0) status = ::git_index_new(Out(own));
  if (status == 0 && head != nullptr) status = ::git_index_read_tree(before.get(), head);
  if (status < 0) return git_failed(status, "HEAD's files");
  StagedTree tree;
  TRY_ASSIGN(const bool stages_hidden, copy_entries(repository, index, true, nullptr));
  TRY_ASSIGN(const bool has_hidden, copy_entries(repository, before.get(), true, nullptr));
  if (!stages_hidden && !has_hidden) {
    tree.is_empty = ::git_index_entrycount(index) == 0;
    status = ::git_index_write_tree(&tree.id, index);
  } else {
    TRY(copy_entries(repository, index, false, own.get()));
    TRY(copy_entries(repository, before.get(), true, own.get()));
    tree.is_empty = ::git_index_entrycount(own.get()) == 0;
    status = ::git_index_write_tree_to(&tree.id, own.get(), repository.get());
  }
  if (status < 0) return git_failed(status, "the staged files");
  return tree;
}

}  // namespace filecall::worker::git
