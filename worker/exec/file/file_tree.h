// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"
#include "worker/exec/file/file_rules.h"

namespace filecall::worker::file {

/// Something that was opened beneath a root, and where it really lies: links on its way were
/// followed, and lead nowhere out (openat2(2), RESOLVE_BENEATH). Blocks; any thread.
struct OpenPlace {
  UniqueFd fd;
  struct stat info {};
  std::size_t root = 0;
  std::string root_path;  ///< The root without links.
  std::string path;       ///< Below the root, without links; "." for the root.

  /// From "/" on.
  std::string whole() const;
};

/// What one request has found out about places, so that it looks once at a root and at a directory
/// that many of its files lie in. Lives as long as the request: what is moved meanwhile counts from
/// the next one on. One thread.
struct SeenPlaces {
  struct Root {
    UniqueFd fd;
    std::string path;  ///< Without links.
  };
  std::map<std::size_t, Root> roots;
  /// Whether a directory without links is, or lies in, what is the worker's own.
  std::map<std::string, bool, std::less<>> own_directories;
};

/// Opens with `flags` of open(2) (O_CLOEXEC and O_NONBLOCK are added, so that nothing waits).
/// Failures: permission_denied (leads out, or the worker may not), not_found (also for what is
/// hidden: nobody learns whether it exists), failed_precondition.
Result<OpenPlace> open_place(const FileRules& rules, const FilePlace& place, int flags,
                             std::string_view pointer);
/// As above, one of many of a request.
Result<OpenPlace> open_place(const FileRules& rules, const FilePlace& place, int flags,
                             std::string_view pointer, SeenPlaces& seen);

/// Opens what a walk found below `directory`; never through a link, never out of it, never waiting
/// for a FIFO's other end. Not open: errno says why.
UniqueFd open_without_links(int directory, const std::string& path, int flags);

/// The name that answers and further requests use: relative in the first root, else absolute.
std::string name_of(const FileRules& rules, std::size_t root, std::string_view path);

/// The text of `path` after links of the kernel's own table of descriptors: where an open file lies
/// now. Failure: errno's; the file was deleted meanwhile (not_found).
Result<std::string> place_of_descriptor(int fd);

}  // namespace filecall::worker::file
