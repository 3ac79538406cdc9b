// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// Whether what a change shows is what it makes: taken back from its new content, its hunks and its
/// unified diff give the content that base_sha256 names. A change without hunks shows nothing, and
/// one with a conflict makes nothing. Failure: invalid_argument, somebody altered one of them;
/// begins with `where`. Pure.
Result<void> check_shown_hunks(const Json& change, std::string_view where);

}  // namespace filecall::client
