// SPDX-License-Identifier: MIT
#include "worker/exec/git/repository_check.h"

#include <fmt/core.h>

#include <utility>

#include "worker/exec/git/git_library.h"
#include "worker/exec/git/open_repository.h"

namespace filecall::worker::git {
namespace {

/// There is no request that it would point into.
Unexpected<Error> without_pointer(Error error) {
  const std::string pointer = std::string(kRepositoryPointer) + ": ";
  if (error.message.starts_with(pointer)) error.message.erase(0, pointer.size());
  return Unexpected(std::move(error));
}

}  // namespace

std::string git_library_version() {
  int major = 0;
  int minor = 0;
  int revision = 0;
  ::git_libgit2_version(&major, &minor, &revision);
  return fmt::format("{}.{}.{}", major, minor, revision);
}

Result<void> check_repository(const file::FileRules& rules, const std::string& path) {
  prepare_git_library();
  const auto layout = find_repository(rules, path);
  if (!layout) return without_pointer(layout.error());
  if (const auto handle = open_layout(*layout, !layout->is_bare()); !handle) {
    return without_pointer(handle.error());
  }
  return {};
}

}  // namespace filecall::worker::git
