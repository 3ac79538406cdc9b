// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace filecall::worker::file {

/// The `file:` section of the worker's configuration file. Plain data. The default: nothing may be
/// read and nothing changed.
struct FileConfig {
  std::vector<std::string> roots;     ///< Directories that may be listed, read and searched.
  std::vector<std::string> writable;  ///< Directories that may be changed, each beneath a root.
  /// Names (globs, compared with each part of a path) that are not there for any request. The
  /// configuration adds to them.
  std::vector<std::string> hidden = {".env", "*.pem", "id_*"};
  /// Names that are never changed; globs as well. The configuration adds to them.
  std::vector<std::string> protect = {".git"};
  std::size_t read_bytes = 1024 * 1024;       ///< Of text in one answer.
  std::size_t file_bytes = 16 * 1024 * 1024;  ///< Of a file that is read, searched or changed.
  std::size_t results = 1000;                 ///< Entries and matches in one answer.
  /// Directories and files of the worker's own (roots of requests, configuration, log, keys): not
  /// there either, with all that lies in them. Not in the file; main fills it.
  std::vector<std::string> own_paths;
  /// What they are, so that other names of them do not lead there; {device, inode}. As above.
  std::vector<std::pair<dev_t, ino_t>> own_ids;
  /// The log, of which older ones lie beside it (os/rotating_file.h): not there either. As above.
  std::string own_log;
  /// Of one request: a directory without links that everything must lie in. Not in the file; empty:
  /// the roots alone count.
  std::string beneath;
  /// The roots without links, in their order. As above; empty: roots have none.
  std::vector<std::string> real_roots;
};

inline constexpr std::size_t kFileResultsMax = 100'000;
inline constexpr std::size_t kReadBytesMax = 16 * 1024 * 1024;
inline constexpr std::size_t kFileBytesMax = 256 * 1024 * 1024;

}  // namespace filecall::worker::file
