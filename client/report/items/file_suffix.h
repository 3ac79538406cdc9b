// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::client {

/// The format of a file that is written, by the end of its name (.csv, .json, .xml, .html, .htm,
/// .md, .markdown; in any case). "terminal" for every other name and for a folder (`out` ends with
/// '/'). `formats`: what can be written. Failure: invalid_argument, the name belongs to a format
/// that is none of them. Pure.
Result<std::string> format_of_suffix(std::string_view out,
                                     std::span<const std::string_view> formats);

}  // namespace filecall::client
