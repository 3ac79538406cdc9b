// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spool/file_identity.h"

namespace filecall::client {

/// responses/ as a directory: unchanged, no name in it was made, removed or replaced.
struct DirectoryStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::int64_t taken_at_ns = 0;  ///< Wall clock, before the directory was read.

  /// Whether nothing can have changed from this to `now`. A change within the granularity of file
  /// times (at most 10 ms) of the look itself would not show, so that such a stamp proves nothing.
  bool holds_in(const DirectoryStamp& now) const;
};

/// Which answers earlier looks at a root found to be a success or an error: 16 bytes each, in a
/// file that may be removed at any time. Not thread-safe, but for find().
///
/// An answer that is rewritten in place goes unnoticed while its directory's stamp holds: that does
/// not change the directory, and to ask each file for its times would cost a system call for every
/// answer, which is most of what this spares. No server may do that (a response is write-once).
/// When the directory did change, each file is held against its identity (Entry::is_of).
class AnswerMemory {
 public:
  struct Entry {
    bool is_success = false;
    std::uint64_t identity_hash = 0;
    /// Whether this is what was found in that very file.
    bool is_of(const spool::FileIdentity& identity) const;
  };

  /// Empty when there is none, or a damaged one.
  static AnswerMemory load(const std::string& path);
  /// Replaces the file, atomically and not synced.
  Result<void> save(const std::string& path) const;

  std::optional<Entry> find(std::string_view stem) const;
  /// Adds or replaces.
  void put(std::string_view stem, const Entry& entry);
  void put(std::string_view stem, bool is_success, const spool::FileIdentity& identity);
  std::size_t size() const { return static_cast<std::size_t>(size_); }

  /// Of the look that made it.
  const DirectoryStamp& stamp() const { return stamp_; }
  void set_stamp(const DirectoryStamp& stamp) { stamp_ = stamp; }

 private:
  /// Two of a million stems have one hash with a chance of 3e-8.
  struct Slot {
    std::uint64_t stem_hash = 0;      ///< 0: free.
    std::uint64_t identity_hash = 0;  ///< Its lowest bit: is_success.
  };
  /// The slot that has the hash or, without one, is free for it.
  Slot& slot_for(std::uint64_t stem_hash);

  DirectoryStamp stamp_;
  std::uint64_t size_ = 0;
  std::vector<Slot> slots_;  ///< Open addressing; a power of two.
};

}  // namespace filecall::client
