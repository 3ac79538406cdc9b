// SPDX-License-Identifier: MIT
#include "base/edit_distance.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace filecall {
namespace {

constexpr std::size_t kBits = 64;

/// Takes off what two texts begin and end with in common.
void drop_common_ends(std::u32string_view& a, std::u32string_view& b) {
  const auto [end_a, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto front = static_cast<std::size_t>(end_a - a.begin());
  a.remove_prefix(front);
  b.remove_prefix(front);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
}

/// One block of 64 rows of the matrix: in which rows the column's value is one more or one less
/// than in the row above.
struct DeltaBlock {
  std::uint64_t plus = ~0ULL;
  std::uint64_t minus = 0;

  /// Steps to the next column. `carry`: the difference along the row above, -1, 0 or 1, becomes
  /// that along this block's last row (Hyyrö 2003, figure 7).
  void step(std::uint64_t matches, int& carry, std::uint64_t last_row) {
    const std::uint64_t vertical = matches | minus;
    if (carry < 0) matches |= 1;
    const std::uint64_t horizontal = (((matches & plus) + plus) ^ plus) | matches;
    std::uint64_t up = minus | ~(horizontal | plus);
    std::uint64_t down = plus & horizontal;
    const int out = (up & last_row) != 0 ? 1 : (down & last_row) != 0 ? -1 : 0;
    up = (up << 1) | (carry > 0 ? 1ULL : 0ULL);
    down = (down << 1) | (carry < 0 ? 1ULL : 0ULL);
    plus = down | ~(vertical | up);
    minus = up & vertical;
    carry = out;
  }
};

}  // namespace

std::size_t edit_distance(std::u32string_view a, std::u32string_view b) {
  drop_common_ends(a, b);
  if (a.size() > b.size()) std::swap(a, b);
  if (a.empty()) return b.size();
  const std::size_t blocks = (a.size() + kBits - 1) / kBits;
  // Where in `a` each code point stands, as bits.
  std::unordered_map<char32_t, std::vector<std::uint64_t>> places;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto& bits = places[a[i]];
    bits.resize(blocks);
    bits[i / kBits] |= 1ULL << (i % kBits);
  }
  const std::vector<std::uint64_t> nowhere(blocks);
  std::vector<DeltaBlock> column(blocks);
  std::size_t distance = a.size();
  const std::uint64_t end_row = 1ULL << ((a.size() - 1) % kBits);
  for (const char32_t point : b) {
    const auto found = places.find(point);
    const auto& matches = found == places.end() ? nowhere : found->second;
    int carry = 1;  // The first row counts up.
    for (std::size_t k = 0; k < blocks; ++k) {
      column[k].step(matches[k], carry, k + 1 == blocks ? end_row : 1ULL << (kBits - 1));
    }
    if (carry > 0) ++distance;
    if (carry < 0) --distance;
  }
  return distance;
}

}  // namespace filecall
