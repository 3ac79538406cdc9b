// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace filecall::client {

/// Tells people once that a run waits for a worker that nobody has started: when it may not start
/// one itself and none was seen for a moment. Pure.
class WorkerNotice {
 public:
  WorkerNotice(std::string root, bool may_start) : root_(std::move(root)), is_told_(may_start) {}

  /// `worker`: as RunProgress says. The text to show, at most once.
  std::optional<std::string> look(std::string_view worker, MonotonicTime now);

 private:
  std::string root_;
  bool is_told_;
  std::optional<MonotonicTime> missing_since_;
};

}  // namespace filecall::client
