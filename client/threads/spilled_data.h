// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/threads/thread_record.h"
#include "ipc/durability.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// What is too large for a line lies in threads/data/{sha256}.json, and what stands in its place
/// is {"spilled": "<64 hex digits>", "bytes": N, "head": "the first 1 KiB of its text"}. Equal
/// values are one file. Blocking; any thread.

/// Whether a value stands for a larger one. Pure.
bool is_spilled(const Json& value);

/// `value` itself when its text has at most `bytes_max`, else what stands for it: its file is
/// durable then, as `durability` says. Failure: the file's.
Result<Json> spill_if_large(const spool::Layout& layout, Json value, std::size_t bytes_max,
                            Durability durability);
/// The value of a digest. Failures: not_found; data_loss, the file holds something else;
/// invalid_argument, that is no digest.
Result<Json> read_spilled(const spool::Layout& layout, std::string_view sha256);
/// `value`, or what it stands for.
Result<Json> whole_value(const spool::Layout& layout, const Json& value);

}  // namespace filecall::client
