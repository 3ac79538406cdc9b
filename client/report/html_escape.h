// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::client {

/// Untrusted text as HTML text or attribute value: & < > " ' escaped, malformed UTF-8 and control
/// characters replaced.
std::string html_escape(std::string_view text);
/// JSON that may stand inside <script>: '<', '>' and '&' are written as \u escapes, so neither
/// "</script" nor "<!--" can occur; U+2028 and U+2029 likewise.
std::string script_json(const Json& value);
/// A relative path as a URL: every byte but unreserved characters and '/' as %XX.
std::string url_path(std::string_view path);

}  // namespace filecall::client
