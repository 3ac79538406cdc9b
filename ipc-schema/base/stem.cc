// SPDX-License-Identifier: MIT
#include "base/stem.h"

#include "base/utf8.h"

namespace filecall {

bool is_valid_stem(std::string_view stem) {
  if (stem.empty() || stem.size() > kStemBytesMax || stem.front() == '.') return false;
  for (const char c : stem) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || byte == '/') return false;
  }
  return is_valid_utf8(stem);
}

}  // namespace filecall
