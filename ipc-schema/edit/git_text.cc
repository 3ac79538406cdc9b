// SPDX-License-Identifier: MIT
#include "edit/git_text.h"

#include <git2/version.h>

#include "base/check.h"
#include "base/shared_library.h"

namespace filecall::edit {
namespace {

Result<GitText> load() {
  TRY_ASSIGN(const SharedLibrary library, SharedLibrary::load("libgit2.so." LIBGIT2_SOVERSION));
  GitText git;
  TRY(library.find("git_libgit2_init", &git.init));
  TRY(library.find("git_diff_buffers", &git.diff));
  TRY(library.find("git_merge_file", &git.merge));
  TRY(library.find("git_merge_file_result_free", &git.free_result));
  CHECK(git.init() > 0, "libgit2 needs nothing but memory");
  return git;
}

}  // namespace

const Result<GitText>& GitText::get() {
  static const Result<GitText> kLoaded = load();
  return kLoaded;
}

}  // namespace filecall::edit
