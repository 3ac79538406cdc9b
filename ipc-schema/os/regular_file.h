// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall {

/// The one way to open what others may put in its place. Never waits (a FIFO would block until
/// somebody opens its other end), never follows a link in the last component, and takes regular
/// files only. `flags` as for open(2); O_CLOEXEC, O_NOFOLLOW and O_NONBLOCK are added.
/// Failures: not_found; failed_precondition, it is something else than a regular file.
Result<UniqueFd> open_regular(const std::string& path, int flags, unsigned mode = 0600);
/// The same for a name in an open directory; `where` names that in errors ("responses").
Result<UniqueFd> open_regular_at(int directory_fd, const std::string& name, int flags,
                                 std::string_view where, unsigned mode = 0600);

/// A file that was opened so, and what it was at that moment.
struct RegularFile {
  UniqueFd fd;
  struct stat info {};
};
/// The same for who would ask fstat(2) next.
Result<RegularFile> open_regular_file_at(int directory_fd, const std::string& name, int flags,
                                         std::string_view where, unsigned mode = 0600);
/// Opens so, reads to the end and closes. resource_exhausted: more than `limit_bytes`.
Result<std::string> read_regular_file(const std::string& path, std::size_t limit_bytes);
/// The same for a file that a person names, or that lies in a folder of theirs: a link is followed.
Result<std::string> read_named_file(const std::string& path, std::size_t limit_bytes);

}  // namespace filecall
