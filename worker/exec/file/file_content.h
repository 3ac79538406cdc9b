// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/exec/file/file_tree.h"

namespace filecall::worker::file {

/// A regular file's bytes, read whole. Blocks; any thread.
struct FileContent {
  OpenPlace place;
  std::string bytes;
};

/// Failures: those of choose_place() and open_place(); failed_precondition (not a regular file,
/// or larger than file.limits.file_bytes: no resource of the machine, so that nothing waits for
/// it).
Result<FileContent> read_content(const FileRules& rules, std::string_view path,
                                 std::string_view pointer, SeenPlaces& seen);

/// The bytes of a regular file that is open; `what` begins errors. Failure: as above.
Result<std::string> read_regular_content(const FileRules& rules, int fd, const struct stat& info,
                                         std::string_view what);

/// Whether new content may be that large (file.limits.file_bytes). Failure: failed_precondition.
Result<void> check_size(const FileRules& rules, std::size_t bytes, std::string_view pointer);

}  // namespace filecall::worker::file
