// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace filecall {

/// Writes all of `bytes`, continuing after short writes and EINTR. `what` names the file in errors.
Result<void> write_all(int fd, std::string_view bytes, std::string_view what);
/// Reads to the end of file. resource_exhausted when there are more than `limit_bytes`.
/// `expected_bytes` only makes it cheaper: what fstat(2) said, or 0.
Result<std::string> read_all(int fd, std::size_t limit_bytes, std::string_view what,
                             std::size_t expected_bytes = 0);
/// Opens (O_CLOEXEC | O_NOFOLLOW on the last component is the caller's choice through `flags`),
/// reads to the end and closes. Never waits for the writer of a FIFO: only a pipe of this process
/// (/dev/fd/N) is read. Failure also: failed_precondition, it is a FIFO.
Result<std::string> read_file(const std::string& path, std::size_t limit_bytes);
/// Opens with O_CLOEXEC added; EINTR is retried.
Result<UniqueFd> open_file(const std::string& path, int flags, unsigned mode = 0600);
/// mkdir -p with mode 0700; an existing directory is fine.
Result<void> make_directories(const std::string& path);

}  // namespace filecall
