// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// What stable storage would hold: POSIX's minimum, which is less than any one file system keeps.
/// A file's bytes are stable when it was synced after they were written; a name is stable when its
/// directory was synced after the name was made or removed; a rename is one step, made stable by
/// syncing either directory. A failed sync loses the bytes for good: a later success of the same
/// call says nothing about them. What was there at the start, and what other processes did, counts
/// as stable. Bytes written through mmap are not followed.
///
/// FAULTS_FORGET says what a crash leaves:
///   all     every byte and every name that was not synced is lost
///   data    names stay, bytes are lost (delayed allocation: the 0-byte file after a rename)
///   names   bytes stay, names are lost
///   both    as names, but a rename that was not synced leaves both names
///   some:N  seed N decides: a prefix of the name changes stays, and each file keeps all, none or
///           the beginning of what was not synced
///
/// Every function is called with the Turn held, and only when there is something to forget.
namespace faults::shadow {

/// Before an open that may create or truncate.
struct Before {
  bool is_new = false;
};
Before before_open(const std::string& path, int flags);
void after_open(int fd, const std::string& path, const Before& before);

void before_write(int fd);
/// Directory or file; `ok`: the sync succeeded.
void after_sync(int fd, const std::string& path, bool ok);

/// A sync of the whole file system.
void after_sync_of_all(bool ok);

/// Before a name is removed or replaced: keeps the file findable. Returns the link's path, empty
/// when there was no file of that name.
std::string keep(const std::string& path);
void after_new_name(const std::string& path);
void after_removal(const std::string& path, const std::string& kept);
void after_rename(const std::string& from, const std::string& to, const std::string& kept);
/// Both names stay, whatever a crash leaves: an exchange is made or not.
void after_exchange(const std::string& from, const std::string& to);
void after_removed_directory(const std::string& path);

/// Rewrites the tree. Nothing else may run afterwards.
void forget();

}  // namespace faults::shadow
