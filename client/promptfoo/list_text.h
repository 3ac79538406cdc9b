// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// The texts of a list that promptfoo's configuration has in one text: 'Rome, "Paris, France"'.
/// As promptfoo 0.121 reads it: commas separate, blanks around a text and empty texts do not count;
/// a text in double quotes is taken as it is, with \" or "" for a quote and \\ for a backslash.
/// Failure: invalid_argument, for a quote that does not end or text right behind one.
Result<Json> split_list(std::string_view text);

}  // namespace filecall::client
