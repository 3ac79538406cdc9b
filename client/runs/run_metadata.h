// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/runs/run_record.h"
#include "ipc/json.h"
#include "os/unique_fd.h"
#include "spool/layout.h"

namespace filecall::client {

/// Finds what runs say of a request: its metadata there, which stands for what the request's file
/// says. Some 24 bytes a request; the texts stay in their files. Not thread-safe.
class RunMetadata {
 public:
  RunMetadata() = default;
  /// Of several runs that list a request, the first one tells. Failures: the lists'.
  static Result<RunMetadata> open(const spool::Layout& layout, const std::vector<RunRecord>& runs);

  /// nullopt: no run lists it, or the one that does says nothing.
  std::optional<Json> find(std::string_view request_id) const;

 private:
  struct Place {
    std::uint64_t id_hash = 0;
    std::uint32_t list = 0;
    std::uint32_t bytes = 0;
    std::int64_t offset = 0;
  };
  std::vector<UniqueFd> lists_;
  std::vector<Place> places_;  ///< In order of hashes, then lists.
};

}  // namespace filecall::client
