// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"
#include "spool/journal_record.h"

namespace filecall::spool {

/// One file of the journal, written from its beginning to its end, lap after lap. Its blocks are
/// written with zeros ahead of the records: to sync a record then needs no change of the file
/// system's own data (measured: a tenth of the time). Blocking; one thread at a time. Movable.
///
/// After a failed write or sync it is broken: it is never written or synced again, since the kernel
/// may have marked the lost pages clean.
class Segment {
 public:
  /// Creates the file and makes it durable, its name too. `directory_fd` must stay open.
  static Result<Segment> create(int directory_fd, std::string name, std::uint64_t medium);

  /// Appends whole records of lap() and syncs them.
  Result<void> append(std::string_view records);
  /// Begins the next lap, durably: no record is left.
  Result<void> restart();
  Result<void> remove();
  /// For reading what it holds; open as long as this is.
  int fd() const { return fd_.get(); }

  const std::string& name() const { return name_; }
  const SegmentHeader& header() const { return header_; }
  bool is_empty() const { return end_ == static_cast<off_t>(kSegmentHeaderBytes); }
  bool is_full() const;
  bool is_broken() const { return is_broken_; }

 private:
  Segment(int directory_fd, std::string name, std::uint64_t medium);
  Result<void> begin_lap();
  /// Whether it worked; otherwise it is broken from now on.
  Result<void> checked(Result<void> result);

  int directory_fd_;
  std::string name_;
  SegmentHeader header_;
  UniqueFd fd_;
  off_t end_ = 0;      ///< Where the next record goes.
  off_t written_ = 0;  ///< So far there are blocks.
  bool is_broken_ = false;
};

}  // namespace filecall::spool
