// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "client/cli/options.h"
#include "ipc/json.h"

namespace filecall::client {

/// What --on-end and --notify ask for when a command has ended: in every way, also by a limit, an
/// interruption or a failure, once it had begun. Neither changes its exit code.
class EndActions {
 public:
  explicit EndActions(const Arguments& arguments) : arguments_(arguments) {}

  /// Before anything begins. Failure: a wrong value.
  Result<void> check() const;
  /// The command has begun; `summary` is what it says of itself so far.
  void set_summary(Json summary) { summary_ = std::move(summary); }
  /// Does them; the exit code, as it was.
  int finish(int exit_code) const;

 private:
  const Arguments& arguments_;
  std::optional<Json> summary_;
};

}  // namespace filecall::client
