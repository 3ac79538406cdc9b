// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::client {

struct ViewOptions {
  bool has_colour = false;
  bool is_side_by_side = false;
  std::size_t columns = 80;  ///< Of side by side.
};

/// One change of a proposal for people: its name, what to know of it, and its hunks, each with the
/// id that chooses it. Not side by side it is a unified diff, which `patch` takes. Texts are as
/// they stand in the change: who prints to a terminal takes control characters out first
/// (printable_change()). Pure.
std::string change_text(const Json& change, const ViewOptions& options);
/// The same change without what a terminal would obey.
Json printable_change(const Json& change);

/// A text with the marks of a merge, coloured. Pure.
std::string merge_text(std::string_view merged, bool has_colour);

}  // namespace filecall::client
