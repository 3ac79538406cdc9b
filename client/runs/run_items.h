// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/runs/run_record.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// One request of a run, as its list has it.
struct RunItem {
  std::string request_id;
  Json metadata;                     ///< The run's own; null: the request's file tells.
  std::vector<std::string> after{};  ///< Whom it waits for.
  bool is_after_end = false;         ///< Until they end, in whatever way; else until they succeed.
  std::int64_t offset = 0;           ///< Of its line in the list.
  std::size_t bytes = 0;             ///< Of its line.
};

/// A line of a list; nullopt: it is none of ours. Pure.
std::optional<RunItem> parse_run_item(std::string_view line);

/// The list of a run's requests. Only read. Not thread-safe.
class RunItems {
 public:
  RunItems(const spool::Layout& layout, const RunRecord& run)
      : path_(layout.run_items(run.run_id)), digest_(run.items_digest), requests_(run.requests) {}

  /// In the list's order, one at a time. `visit` returns false to stop. Failures: the file's
  /// (not_found), invalid_argument (a line that is none of ours), those of `visit`, and data_loss
  /// at the end: the list is not the one that the run began with, so what `visit` has gathered is
  /// not to be used.
  Result<void> each(const std::function<Result<bool>(RunItem)>& visit) const;

 private:
  Result<void> check(std::string_view digest, std::int64_t requests) const;

  std::string path_;
  std::string digest_;
  std::int64_t requests_;
};

}  // namespace filecall::client
