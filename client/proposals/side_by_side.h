// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "client/proposals/change_view.h"

namespace filecall::client {

/// A hunk with its two sides beside each other, each line with its number. A long line goes on in
/// the next row; a line end that only one side has is shown (^M, and where none is). Pure.
std::string side_by_side(std::string_view header, std::string_view diff,
                         const ViewOptions& options);

}  // namespace filecall::client
