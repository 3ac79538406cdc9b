// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"

namespace filecall::client {

/// Whether a line is left out; `offset`: where it begins.
using LeavesOut = std::function<bool(std::string_view text, std::int64_t offset)>;

/// Rewrites a file of eval/ without some of its lines; call it under the lock of the root's grades.
/// `in`: that file, open. The new file is durable before it takes the place. Returns the bytes that
/// this frees; with `dry_run`, would free. Failure: the file's.
Result<std::int64_t> leave_out_lines(const spool::Layout& layout, const std::string& path, int in,
                                     const LeavesOut& leaves_out, bool dry_run);

}  // namespace filecall::client
