// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"

namespace filecall::client {

/// Whether gc has removed a request.
using IsGone = std::function<bool(std::string_view id)>;

/// Rewrites `eval/grades.jsonl` without the lines that later ones replace and those of requests
/// that are gone; lines that cannot be read stay. A file whose last line is torn stays as it is.
/// The new file is durable before it takes the place. Returns the bytes that this frees; with
/// `dry_run`, would free. Failure: the file's, unavailable when an evaluation holds the lock for
/// long.
Result<std::int64_t> compact_grades(const spool::Layout& layout, const IsGone& is_gone,
                                    bool dry_run);

/// The same of `eval/preferences.jsonl`: a verdict goes with either of its two responses.
Result<std::int64_t> compact_preferences(const spool::Layout& layout, const IsGone& is_gone,
                                         bool dry_run);

}  // namespace filecall::client
