// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace filecall::client {

/// Whether what an evaluation follows stands still: for `kStandstill` nobody has driven it and
/// nothing has changed. Pure: it is given each pass, in their order.
class Standstill {
 public:
  static constexpr Duration kStandstill = seconds(10);  ///< A run may begin after what follows it.

  struct Pass {
    MonotonicTime begun{};
    MonotonicTime ended{};
    bool is_driven = false;        ///< A run, a watch or another client worked when it began.
    std::int64_t unfinished = 0;   ///< Requests that had not ended when it began.
    std::int64_t ended_count = 0;  ///< Those that had ended, since the first pass.
  };

  /// True once for each time that it stands still.
  bool look(const Pass& pass);

 private:
  std::optional<Pass> first_;  ///< Of those that all found the same.
  bool has_reported_ = false;
};

}  // namespace filecall::client
