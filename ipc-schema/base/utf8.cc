// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <utf8.h>

#include <iterator>

namespace filecall {

bool is_valid_utf8(std::string_view text) {
  text.remove_prefix(ascii_prefix(text));
  return utf8::is_valid(text.begin(), text.end());
}

std::size_t find_invalid_utf8(std::string_view text) {
  const auto bad = utf8::find_invalid(text.begin(), text.end());
  return bad == text.end() ? text.npos : static_cast<std::size_t>(bad - text.begin());
}

std::string sanitize_utf8(std::string_view text) {
  std::string out;
  utf8::replace_invalid(text.begin(), text.end(), std::back_inserter(out));
  return out;
}

}  // namespace filecall
