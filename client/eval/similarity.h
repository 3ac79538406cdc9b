// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// Longest text that edit distances are made for, in code points: more would hold up everything
/// else for seconds.
inline constexpr std::size_t kEditLengthMax = 50'000;

/// 1 - distance / length of the longer one; 1 for two empty texts. nullopt: one is longer than
/// kEditLengthMax.
std::optional<double> edit_similarity(std::string_view a, std::string_view b);

/// The harmonic mean of precision and recall of the words of `answer` against those of `expected`,
/// each word as often as it occurs (as SQuAD counts them). 1 when neither has any, else 0 when one
/// has none.
double token_f1(std::string_view answer, std::string_view expected);

}  // namespace filecall::client
