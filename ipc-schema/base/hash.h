// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace filecall {

/// XXH3, 64 bits: for hash tables and change detection. Not for secrets. Stable across versions
/// and machines (xxHash specification), so it may be stored.
std::uint64_t hash64(std::string_view bytes);

/// XXH3, 128 bits: for identity of contents.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Hash128&) const = default;
  /// 32 lower-case hex digits.
  std::string hex() const;
};
Hash128 hash128(std::string_view bytes);

/// Lets unordered containers keyed by std::string be asked with a string_view.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash64(text); }
};

}  // namespace filecall
