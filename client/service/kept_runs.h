// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/threads/thread_reader.h"
#include "spool/layout.h"

namespace filecall::client {

/// Runs of agents that can go on with what they have asked so far: those that have not ended, those
/// that ended on a budget, and those of whose thread something cannot be read. Memory is bounded by
/// their number.
class KeptRuns {
 public:
  /// Reads each thread once; a root without threads costs a look. Failures: of a threads/ that is
  /// not ours.
  static Result<KeptRuns> look(const spool::Layout& layout);

  /// Whether one of them needs a request: its own, which its id says, or the catalog of its tools.
  bool need(std::string_view request_id) const;

 private:
  /// By run, the request of its catalog.
  using Catalogs = std::map<std::string, std::string, std::less<>>;
  static Result<void> take(const spool::Layout& layout, const ThreadRecord& record, Catalogs& open);
  Result<void> read(const spool::Layout& layout, const std::string& thread);
  Result<void> add_noted(const spool::Layout& layout);

  std::set<std::string, std::less<>> runs_;
  std::set<std::string, std::less<>> catalogs_;
  std::set<std::string, std::less<>> damaged_;  ///< Threads.
};

}  // namespace filecall::client
