// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "spool/root.h"

namespace filecall::client {

/// The text of a request's file; nullopt: there is none, or a link, a directory or a device is in
/// its place, which is no request. Blocking. Failure: it cannot be read.
Result<std::optional<std::string>> regular_request(const spool::Root& root, std::string_view id);

}  // namespace filecall::client
