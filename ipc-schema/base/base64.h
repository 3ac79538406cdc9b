// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall {

/// Standard base64 with padding (RFC 4648 section 4).
std::string base64_encode(std::string_view bytes);

}  // namespace filecall
