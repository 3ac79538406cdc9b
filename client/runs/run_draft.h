// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/core/digest.h"
#include "ipc/durability.h"
#include "os/unique_fd.h"

namespace filecall::client {

/// The list of a run's requests while it is written: a temporary file in runs/, removed unless it
/// gets its name. A line for each request: `{"request_id": ..., "metadata": {...}, "after": [...],
/// "after_any": ...}`. Not thread-safe.
class RunDraft {
 public:
  /// `directory_fd`: of runs/; must outlive it. Failure: the file's.
  static Result<RunDraft> create(int directory_fd);
  RunDraft(RunDraft&& other) noexcept;
  RunDraft& operator=(RunDraft&&) = delete;
  ~RunDraft();

  /// `metadata`: JSON text; empty: none. `after`: members as JSON text that say whom it waits for,
  /// `"after":[...]`; empty: nobody.
  Result<void> add(std::string_view request_id, std::string_view metadata,
                   std::string_view after = {});
  /// After the last one: writes what is buffered. The digest of all bytes.
  Result<std::string> finish();
  std::int64_t requests() const { return requests_; }
  /// Gives the file its name, replacing nothing that a record speaks of.
  Result<void> keep_as(const std::string& name, Durability durability);

 private:
  RunDraft(int directory_fd, UniqueFd fd, std::string temporary_name);
  Result<void> flush();

  int directory_fd_;
  UniqueFd fd_;
  std::string temporary_name_;  ///< Empty: it has its name.
  std::string buffer_;
  Digest digest_;
  std::int64_t requests_ = 0;
};

}  // namespace filecall::client
