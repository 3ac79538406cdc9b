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
  kForbidden,  ///< It is another user's.
};

/// How a request is to be ended.
struct CancelWish {
  bool only_waiting = false;  ///< Not when it executes.
  /// Its client asks again later: no failed attempt. What ran and may have had effects is answered
  /// `aborted` instead, since nobody may repeat it.
  bool withdraws = false;
};

/// Which response is to be taken away: a later one of the same name is another file.
struct ResponseFile {
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0;
};

/// What became of that.
enum class DiscardResult : std::uint8_t {
  kDiscarded,    ///< Its request is pending again.
  kAbsent,       ///< There was none.
  kOther,        ///< Another one is there, and stays.
  kForbidden,    ///< The request is another user's, or gone.
  kUnsupported,  ///< No files hold the responses.
  kFailed,       ///< The file system refused.
};

/// Who can end requests and take answers away: the worker, as system.cancel and system.discard see
/// it. `user`: who asks for that (ExecutionContext). Loop thread only.
class CancelTarget {
 public:
  virtual ~CancelTarget() = default;
  /// A request of that root (ExecutionContext::root), wherever it is. `done` is called once, on the
  /// loop, perhaps before this returns.
  virtual void cancel(std::string_view root, std::uint32_t user, std::string_view request_id,
                      CancelWish wish, std::function<void(CancelResult)> done) = 0;
  /// Takes away the response to a request of that root, which is pending then.
  virtual DiscardResult discard(std::string_view root, std::uint32_t user,
                                std::string_view request_id, const ResponseFile& response) = 0;
};

}  // namespace filecall::worker
