// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace filecall {

/// How counts stand in sentences for people. Pure.

/// "1 234 567": digits in groups of three (a space reads the same in every language).
std::string grouped_digits(std::int64_t count);

/// `one` of a count of 1, else `many`: "is" or "are".
constexpr std::string_view one_or_many(std::int64_t count, std::string_view one,
                                       std::string_view many) {
  return count == 1 ? one : many;
}

/// "1 request", "0 requests", "1 200 requests". `many` is needed where the noun does not end in -s
/// then: counted_noun(n, "reply", "replies").
std::string counted_noun(std::int64_t count, std::string_view one, std::string_view many = {});

/// "3 of 1 200 requests", "0 of 1 request": the noun goes with the whole.
std::string part_of(std::int64_t part, std::int64_t whole, std::string_view one,
                    std::string_view many = {});

}  // namespace filecall
