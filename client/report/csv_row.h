// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall::client {

/// One field of RFC 4180: quoted when it must be.
std::string csv_field(std::string_view text);
/// A field of text that others wrote: as csv_field(), and a text that a spreadsheet would take for
/// a formula (it begins with = + - @, a tab or a line break, perhaps after spaces) gets an
/// apostrophe before it, as OWASP advises. Who needs the exact text reads the JSON.
std::string csv_text(std::string_view text);

}  // namespace filecall::client
