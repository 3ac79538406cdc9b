// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/durability.h"
#include "spool/root.h"

namespace filecall::spool {

enum class Publication : std::uint8_t {
  kPublished,     ///< The name is ours and complete.
  kAlreadyThere,  ///< Somebody published that name before; their file was not touched.
};

/// Publishes `bytes` as `directory_fd`/`name`, atomically and only if the name is free: writes
/// `staging_fd`/`temporary_name` (created, or written over if it is a start record), syncs it
/// unless durability is none, renames with RENAME_NOREPLACE (falling back to link+unlink where the
/// file system refuses the flag). Does not sync the directory: call sync_directory once for many.
/// `staging_fd` and `directory_fd` must be on one file system. Thread-safe for distinct names.
/// Failure: nothing was published and the temporary file was removed (unless it is a start record,
/// `keep_temporary`). After a failed fsync the descriptor is closed and never synced again:
/// the kernel may have marked the lost pages clean (Rebello et al., ATC'20).
struct PublishRequest {
  int staging_fd = -1;
  std::string_view temporary_name;
  int directory_fd = -1;
  std::string_view name;
  std::string_view bytes;
  Durability durability = Durability::kFull;
  bool keep_temporary = false;
  mode_t mode = kOwnFileMode;
};
Result<Publication> publish_new(const PublishRequest& request);

/// The second half of publish_new for a file that is written already: syncs it (unless durability
/// is none) and renames it into place. On failure, and when the name is taken, the file stays.
Result<Publication> publish_staged(int staging_fd, std::string_view temporary_name,
                                   int directory_fd, std::string_view name, Durability durability);

/// A temporary name that no other call, in this or any other process, returns. (A child that was
/// forked without exec must not call it.)
std::string next_temporary_name();
/// Whether this process made the name.
bool is_own_temporary(std::string_view name);

/// Gives an open file the mode that it is to have, where others may read it: what open(2) makes has
/// less where the umask takes from it.
Result<void> set_file_mode(int fd, mode_t mode, std::string_view name);

/// fsync of a directory: makes its entries durable.
Result<void> sync_directory(int directory_fd);

/// Makes everything durable that was written to the file systems of the root before: for many
/// files the cheapest way, for other users of the disk not. After a failure it says nothing more.
Result<void> sync_file_systems(const Directories& directories);

/// Writes a file under that very name (created or truncated; not removed on failure), synced unless
/// durability is none, and returns its time of modification, which is `mtime_ns` if given. For
/// names that nobody reads yet.
Result<std::int64_t> write_file_at(int directory_fd, const std::string& name,
                                   std::string_view bytes, std::optional<std::int64_t> mtime_ns,
                                   Durability durability, mode_t mode = kOwnFileMode);

/// Where answers without a start record are staged.
inline int staging_of(const Directories& directories) {
  return directories.staging_is_shared ? directories.worker_tmp.get() : directories.responses.get();
}

/// Replaces `directory_fd`/`name` atomically (temp in the same directory, rename over it).
Result<void> replace_file(int directory_fd, std::string_view name, std::string_view bytes,
                          Durability durability, mode_t mode = kOwnFileMode);

}  // namespace filecall::spool
