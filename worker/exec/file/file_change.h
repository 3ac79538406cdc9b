// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/file/file_tree.h"
#include "worker/exec/file/place_locks.h"

namespace filecall::worker::file {

/// A directory in which something is about to be changed, and the name of it there.
struct ChangePlace {
  OpenPlace directory;  ///< An O_PATH descriptor.
  std::string name;     ///< Without "/"; neither "." nor "..".

  /// Below the root.
  std::string path() const;
};

/// Whether something has the name already, a link that leads nowhere, too.
bool is_taken(const ChangePlace& place);

/// Opens the directory of `path`. Failures: those of choose_place() and open_place();
/// permission_denied (beneath none of file.writable, a protected name); not_found (a hidden name,
/// whether it exists or not); invalid_argument (no name, too long a one, too many). Blocks; any
/// thread.
Result<ChangePlace> open_for_change(const FileRules& rules, std::string_view path,
                                    std::string_view pointer);

/// The same of something that is about to be created. The directories that are missing are a part
/// of the name, which then holds "/". Failure also: permission_denied, a name that would be hidden.
Result<ChangePlace> open_for_create(const FileRules& rules, std::string_view path,
                                    std::string_view pointer);

/// Whether that file may be changed, created or deleted. Nothing is opened for writing, and its
/// directories need not be there. Failures: as above.
Result<void> check_may_change(const FileRules& rules, std::string_view path,
                              std::string_view pointer);

/// Whether a place, absolute and without links, lies beneath a directory that may be changed.
bool is_beneath_writable(const FileRules& rules, std::string_view whole);

/// Waits until nobody else in this worker changes the file there: who changes it reads it after
/// this, and holds the place until it is changed. Failure: errno's.
Result<PlaceLocks::Held> hold_place(const ChangePlace& place);
/// The same of several files together. Failure also: invalid_argument, two are the same file.
Result<PlaceLocks::Held> hold_places(const std::vector<const ChangePlace*>& places);

/// A regular file that may be changed, its place held, and what it is.
struct HeldFile {
  ChangePlace place;
  PlaceLocks::Held lock;
  UniqueFd fd;
  struct stat info {};
  std::string bytes;
};
/// The place of the file that `path` leads to, through links inside of its root. Failures: those of
/// open_place() and open_for_change().
Result<ChangePlace> open_target(const FileRules& rules, std::string_view path,
                                std::string_view pointer);
/// Reads the file whose place is held; `what` begins errors. Failures: those of read_content();
/// failed_precondition, a link.
Result<void> read_held(const FileRules& rules, HeldFile& file, const std::string& what);
/// Holds the file that `path` leads to, through links inside of its root, and reads it. Failures:
/// those of open_target() and read_held(). Blocks; any thread.
Result<HeldFile> hold_file(const FileRules& rules, std::string_view path, std::string_view pointer);

/// Puts a new file there, durable when this returns: all of it or nothing. Without `mode` the umask
/// decides. Failure: already_exists.
Result<void> publish_new(const ChangePlace& place, std::string_view bytes,
                         std::optional<unsigned> mode);

/// Puts other content into a file whose place is held, durable when this returns: the old or the
/// new, never a part. It keeps what keep_attributes() keeps; other names of it (hard links) keep
/// the old content. Failures: failed_precondition, it is not what was read any more; aborted,
/// somebody else replaced it in the very moment, so that what lies there may be another's; those
/// of keep_attributes().
Result<void> replace_file(const HeldFile& file, std::string_view bytes);

/// Removes it, if it is still what `expected` says (fstat(2) of what was read). Between this look
/// and the removal a few microseconds pass in which nobody can be kept from a change. Failure:
/// failed_precondition.
Result<void> remove_file(const ChangePlace& place, const struct stat& expected);

}  // namespace filecall::worker::file
