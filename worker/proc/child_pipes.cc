// SPDX-License-Identifier: MIT
#include "worker/proc/child_pipes.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace filecall::worker {
namespace {

Unexpected<Error> no_descriptors(int error) {
  return fail(
      ErrorCode::kResourceExhausted,
      fmt::format("pipes for a tool: {}; lower tool.concurrency or raise the worker's limit "
                  "of open files (ulimit -n, LimitNOFILE=)",
                  std::strerror(error)));
}

Result<void> make_pipe(UniqueFd* read_end, UniqueFd* write_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return no_descriptors(errno);
  *read_end = UniqueFd(fds[0]);
  *write_end = UniqueFd(fds[1]);
  return {};
}

}  // namespace

Result<ChildPipes> make_child_pipes(bool has_input) {
  ChildPipes pipes;
  if (has_input) {
    TRY(make_pipe(&pipes.in_child, &pipes.in_ours));
  } else {
    pipes.in_child = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!pipes.in_child.is_open()) return no_descriptors(errno);
  }
  TRY(make_pipe(&pipes.out_ours, &pipes.out_child));
  TRY(make_pipe(&pipes.err_ours, &pipes.err_child));
  TRY(make_pipe(&pipes.control_child, &pipes.control_ours));
  TRY(make_pipe(&pipes.report_ours, &pipes.report_child));
  return pipes;
}

}  // namespace filecall::worker
