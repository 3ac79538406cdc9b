// SPDX-License-Identifier: MIT
#pragma once

#include <git2/diff.h>
#include <git2/global.h>
#include <git2/merge.h>

#include "base/result.h"

namespace filecall::edit {

/// What is called of libgit2 for texts in memory. The library is loaded at the first call: few
/// commands of the client compare or merge.
struct GitText {
  decltype(&::git_libgit2_init) init = nullptr;
  decltype(&::git_diff_buffers) diff = nullptr;
  decltype(&::git_merge_file) merge = nullptr;
  decltype(&::git_merge_file_result_free) free_result = nullptr;

  /// Any thread. Failure: failed_precondition, it cannot be loaded; so say all further calls.
  static const Result<GitText>& get();
};

}  // namespace filecall::edit
