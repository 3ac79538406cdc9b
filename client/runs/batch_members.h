// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"
#include "spool/name_list.h"

namespace filecall::client {

/// Which requests belong to a batch: those that a run of its name lists, whichever batch asked them
/// first, and those whose rows say so. Some 24 bytes a request. Not thread-safe.
class BatchMembers {
 public:
  /// `batch` empty: every request belongs. Failures: the lists'.
  static Result<BatchMembers> of(const spool::Layout& layout, std::string batch);

  bool contains(std::string_view request_id, std::string_view batch_of_row) const {
    return batch_.empty() || batch_of_row == batch_ || listed_.contains(request_id);
  }

 private:
  std::string batch_;
  spool::NameHashSet listed_;
};

}  // namespace filecall::client
