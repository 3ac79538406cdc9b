// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall::client {

/// Whether the glob fits all of the text: "*" is any run of characters, "?" is one; with
/// `stops_at_slash` neither takes a slash and "**" takes everything. No backtracking beyond the
/// last star of each kind: time is the product of both lengths at worst. Pure; any thread.
bool fits_text_glob(std::string_view glob, std::string_view text, bool stops_at_slash);

/// A path without empty components, "." and "..", and without a slash at its end, by its letters
/// alone: no link is followed. "." when nothing is left; ".." stays at the beginning of a relative
/// one.
std::string plain_path(std::string_view path);
/// `path` made absolute from `from`; empty when that is not known.
std::string absolute_path(std::string_view from, std::string_view path);
/// `path` relative to `from`; empty when it does not lie beneath it.
std::string relative_path(std::string_view from, std::string_view path);

}  // namespace filecall::client
