// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall::worker {

/// Both ends of the pipes between the worker and one guard, all close-on-exec. Pipes, not libuv's
/// socket pairs: programs that open /dev/stderr again fail on a socket.
struct ChildPipes {
  UniqueFd in_child, in_ours;  ///< `in_ours` is closed and `in_child` is /dev/null without input.
  UniqueFd out_child, out_ours;
  UniqueFd err_child, err_ours;
  UniqueFd control_child, control_ours;
  UniqueFd report_child, report_ours;
};

/// Failure: resource_exhausted, no descriptors are left; says what to do.
Result<ChildPipes> make_child_pipes(bool has_input);

}  // namespace filecall::worker
