// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <utf8.h>

#include <algorithm>
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

std::size_t unfinished_utf8_end(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(4, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t announced = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return announced > back ? back : 0;
  }
  return 0;
}

std::string sanitize_utf8(std::string_view text) {
  std::string out;
  utf8::replace_invalid(text.begin(), text.end(), std::back_inserter(out));
  return out;
}

}  // namespace filecall
