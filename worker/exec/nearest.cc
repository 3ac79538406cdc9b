// SPDX-License-Identifier: MIT
#include "worker/exec/nearest.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace filecall::worker {
namespace {

constexpr std::size_t kWordBytesMax = 100;
constexpr std::size_t kSuggestions = 3;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view word,
                                            const std::vector<std::string_view>& names) {
  if (word.empty() || word.size() > kWordBytesMax) return {};
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view name : names) {
    const std::size_t distance = last_part(name) == last_part(word) ? 0 : edit_distance(word, name);
    // Two changes of a word of three letters make another word.
    const std::size_t least = word.size() < 5 ? 1 : 2;
    if (distance <= std::max(least, word.size() / 3)) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string_view> result;
  for (const auto& [distance, name] : ranked) {
    if (result.size() < kSuggestions) result.push_back(name);
  }
  return result;
}

std::string suggest(std::string_view word, const std::vector<std::string_view>& names) {
  if (names.empty()) return "";
  const auto near = nearest_names(word, names);
  if (!near.empty()) return fmt::format("; did you mean {}?", fmt::join(near, ", "));
  return fmt::format("; there is: {}", fmt::join(names, ", "));
}

}  // namespace filecall::worker
