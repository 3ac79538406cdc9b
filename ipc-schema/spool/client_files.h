// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "ipc/durability.h"
#include "spool/file_identity.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::spool {

/// What a client does with files: drops requests, reads, deletes and keeps responses. Blocking
/// functions; any thread.

/// A response file's bytes together with which file they came from.
struct ResponseFile {
  std::string bytes;
  FileIdentity identity;
};

/// Drops `bytes` as `requests/{stem}.json`, atomically; never touches a request that is there.
/// With durability full the directory is synced too, so that a power cut loses nothing dropped.
Result<Publication> drop_request(const Directories& directories, std::string_view stem,
                                 std::string_view bytes, Durability durability);

/// The same without the directory's sync: for many drops and one sync_directory(requests).
Result<Publication> drop_request_unsynced(const Directories& directories, std::string_view stem,
                                          std::string_view bytes, Durability durability);

/// Puts `bytes` in the place of a request that is there, atomically; durable as `durability` says.
/// Who has read the earlier text may still run it: see docs/protocol.md, What a change means.
Result<void> replace_request(const Directories& directories, std::string_view stem,
                             std::string_view bytes, Durability durability);

/// Removes a request: one that waits is withdrawn. One that is not there is fine.
Result<void> remove_request(const Directories& directories, std::string_view stem);

/// nullopt: there is none. What is no regular file (a link, a FIFO) is failed_precondition; more
/// than `limits::kResponseBytesMax` bytes is resource_exhausted.
Result<std::optional<ResponseFile>> read_response_file(const Directories& directories,
                                                       std::string_view stem);
/// The same for a request file: its bytes as they are, not checked.
Result<std::optional<ResponseFile>> read_request_file(const Directories& directories,
                                                      std::string_view stem);

/// Identity of a response without reading it; nullopt: there is none.
Result<std::optional<FileIdentity>> identify_response(const Directories& directories,
                                                      std::string_view stem);
/// Of a request; nullopt also for what is no regular file, which no worker takes for one.
std::optional<FileIdentity> identify_request(const Directories& directories, std::string_view stem);
/// Of the copy of a final failure.
std::optional<FileIdentity> identify_failed(const Directories& directories, std::string_view stem);

enum class Deletion : std::uint8_t {
  kDeleted,
  kAbsent,  ///< It was gone already.
  kOther,   ///< Another file has the name now; it was left alone.
};
/// Deletes a response only if it is still the file that `identity` names: asking for another
/// attempt must not destroy an answer that nobody has read. Not synced: if a power cut brings it
/// back, the identity tells that it was counted.
Result<Deletion> delete_response(const Directories& directories, std::string_view stem,
                                 const FileIdentity& identity);

/// Puts `bytes` at `failed/{stem}.json`, atomically, replacing an earlier copy; durable as
/// `durability` says.
Result<void> copy_to_failed(const Directories& directories, std::string_view stem,
                            std::string_view bytes, Durability durability);

/// Removes temporaries in client/tmp and failed/ that are more than a day old: what killed clients
/// left. Younger ones may belong to a client that lives. Never fails: what stays is swept later.
void sweep_old_temporaries(const Directories& directories, WallTime now);

/// Whether this client is to drive the request that is there: in a group's root it is its user's
/// own, elsewhere any.
bool may_drive(const Directories& directories, std::string_view stem);
/// Whether its user may end it and ask it again: the owner of a group's root may do so of all.
bool may_change(const Directories& directories, std::string_view stem);

/// Whether the name is there; never opens the file.
bool has_request(const Directories& directories, std::string_view stem);
bool has_response(const Directories& directories, std::string_view stem);
/// Whether a copy is there; what is no regular file is none.
bool has_failed(const Directories& directories, std::string_view stem);

}  // namespace filecall::spool
