// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

namespace filecall::client {

/// The numbers that people would read in a text, in order: signs (the minus sign U+2212 too),
/// decimals, exponents, thousands separated by commas ("1,234.5"). Currency and percent signs are
/// passed over. Not digits that stand in a word ("gpt4", "x_2"). A range ("3-4") is two numbers.
/// What a double cannot hold is left out. Pure.
std::vector<double> numbers_in(std::string_view text);

}  // namespace filecall::client
