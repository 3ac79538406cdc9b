// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/threads/thread_reader.h"
#include "spool/layout.h"

namespace filecall::client {

/// A thread, as a list shows it.
struct ThreadSummary {
  std::string id;
  std::string title;
  std::string created_at;    ///< Empty: its first record cannot be read.
  std::string updated_at;    ///< Of the last record.
  std::int64_t records = 0;  ///< Since it was created last.
  std::int64_t runs = 0;
  std::int64_t bytes = 0;  ///< Of its file.
  std::string parent;      ///< Empty: it is no fork.
  std::int64_t parent_seq = 0;
  bool is_deleted = false;
  std::int64_t bad_count = 0;  ///< Places that are no records.
};

struct ThreadListing {
  std::vector<ThreadSummary> threads;   ///< Changed last, first.
  std::vector<std::string> unreadable;  ///< Says why, of each file that cannot be read.
};

/// Reads of each line what such a list needs. Blocking; uses all processors. Nothing was said
/// yet: an empty list. Failures: of a threads/ that is not ours.
Result<ThreadListing> list_threads(const spool::Layout& layout);
/// One of them. Failures: as of ThreadReader::open().
Result<ThreadSummary> summarise_thread(const spool::Layout& layout, std::string_view thread);

}  // namespace filecall::client
