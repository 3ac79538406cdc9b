// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::client {

/// "hmac-sha256:" and 64 hex digits: HMAC-SHA-256 (RFC 2104) of the object without its member
/// `signature`, as JSON in one line with sorted keys. Pure; any thread.
std::string signature_of(const Json& object, std::string_view key);

/// Whether its member `signature` is that; the time taken does not tell how much of it fits.
bool is_signed(const Json& object, std::string_view key);

}  // namespace filecall::client
