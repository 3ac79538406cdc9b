// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace filecall {

/// Standard base64 with padding (RFC 4648 section 4).
std::string base64_encode(std::string_view bytes);
/// The inverse, strict: padding is required, other characters (white space too) are refused.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace filecall
