// SPDX-License-Identifier: MIT
#include "base/count_text.h"

namespace filecall {

std::string grouped_digits(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, 1, ' ');
  return digits;
}

std::string counted_noun(std::int64_t count, std::string_view one, std::string_view many) {
  std::string text = grouped_digits(count) + " ";
  if (count == 1) return text.append(one);
  return many.empty() ? text.append(one) + "s" : text.append(many);
}

std::string part_of(std::int64_t part, std::int64_t whole, std::string_view one,
                    std::string_view many) {
  return grouped_digits(part) + " of " + counted_noun(whole, one, many);
}

}  // namespace filecall
