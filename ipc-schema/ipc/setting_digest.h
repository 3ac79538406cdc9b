// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall {

/// HMAC-SHA256 of a setting under `salt`, in lower-case hex; empty for an empty value. Tells
/// whether two programs have the same key of a provider, and not what it is. Pure; any thread.
std::string setting_digest(std::string_view salt, std::string_view value);

/// A key or a URL as it is used: without the white space around it.
std::string_view trimmed_setting(std::string_view value);

}  // namespace filecall
