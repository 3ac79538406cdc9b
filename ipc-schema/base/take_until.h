// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace filecall {

/// Takes what stands before the first `end`, and that `end`, off the text; all of it when there is
/// none. Pure.
inline std::string_view take_until(std::string_view* text, char end) {
  const std::size_t at = text->find(end);
  const std::string_view part = text->substr(0, at);
  text->remove_prefix(at == std::string_view::npos ? text->size() : at + 1);
  return part;
}

}  // namespace filecall
