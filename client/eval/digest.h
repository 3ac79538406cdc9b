// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall::client {

/// "sha256:" and 64 lower-case hex digits (FIPS 180-4): what `sha256sum` says of the same bytes.
/// For what other programs and later years must be able to check. Pure; any thread.
std::string digest_of(std::string_view bytes);

}  // namespace filecall::client
