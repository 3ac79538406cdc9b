// SPDX-License-Identifier: MIT
#include "client/cli/worker_notice.h"

namespace filecall::client {
namespace {

constexpr Duration kPatience = milliseconds(1500);

}  // namespace

std::optional<std::string> WorkerNotice::look(std::string_view worker, MonotonicTime now) {
  const bool is_missing = worker == "not running" || worker == "unknown";
  if (is_told_ || !is_missing) {
    missing_since_.reset();
    return std::nullopt;
  }
  if (!missing_since_) missing_since_ = now;
  if (now - *missing_since_ < kPatience) return std::nullopt;
  is_told_ = true;
  return root_ +
         ": no worker has reported itself, waiting for a response; 'filecall worker "
         "start --root " +
         root_ + "' starts one";
}

}  // namespace filecall::client
