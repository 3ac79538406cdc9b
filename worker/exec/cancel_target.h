// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace filecall::worker {

/// Where a request was when a cancel reached it.
enum class CancelResult : std::uint8_t {
  kQueued,     ///< Pending: it is answered `cancelled` without having started.
  kExecuting,  ///< Running: it is being ended and will be answered `cancelled`; with only_waiting
               ///< it goes on.
  kAnswered,   ///< Too late: its response stands.
  kUnknown,    ///< That root has no such request.
};

/// How a request is to be ended.
struct CancelWish {
  bool only_waiting = false;  ///< Not when it executes.
  /// Its client asks again later: no failed attempt. What ran and may have had effects is answered
  /// `aborted` instead, since nobody may repeat it.
  bool withdraws = false;
};

/// Who can end requests: the worker, as system.cancel sees it. Loop thread only.
class CancelTarget {
 public:
  virtual ~CancelTarget() = default;
  /// A request of that root (ExecutionContext::root), wherever it is. `done` is called once, on the
  /// loop, perhaps before this returns.
  virtual void cancel(std::string_view root, std::string_view request_id, CancelWish wish,
                      std::function<void(CancelResult)> done) = 0;
};

}  // namespace filecall::worker
