// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"

namespace filecall {
namespace {

constexpr std::size_t kWordBytesMax = 100;
constexpr std::size_t kBeginningBytesMin = 3;
constexpr std::size_t kSuggestions = 3;

/// Each byte as a code point: names are ASCII, and of what is not, a near guess will do.
std::u32string bytes_of(std::string_view text) {
  std::u32string points;
  for (const char c : text) points.push_back(static_cast<unsigned char>(c));
  return points;
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view word,
                                            const std::vector<std::string_view>& names) {
  if (word.empty() || word.size() > kWordBytesMax) return {};
  const std::u32string word_points = bytes_of(word);
  // Two changes of a word of three letters make another word.
  const std::size_t distance_max = std::max<std::size_t>(word.size() < 5 ? 1 : 2, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view name : names) {
    const bool is_part = last_part(name) == last_part(word) ||
                         (word.size() >= kBeginningBytesMin && name.starts_with(word));
    // Each byte more or less is a change. Names of others may be long.
    const std::size_t longer = std::max(name.size(), word.size());
    const std::size_t shorter = std::min(name.size(), word.size());
    if (!is_part && longer - shorter > distance_max) continue;
    const std::size_t distance = is_part ? 0 : edit_distance(word_points, bytes_of(name));
    if (distance <= distance_max) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string_view> result;
  for (const auto& [distance, name] : ranked) {
    if (result.size() < kSuggestions) result.push_back(name);
  }
  return result;
}

std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& names) {
  const auto near = nearest_names(word, names);
  return near.empty() ? std::string_view() : near.front();
}

std::string suggest(std::string_view word, const std::vector<std::string_view>& names) {
  if (names.empty()) return "";
  const auto near = nearest_names(word, names);
  if (!near.empty()) return fmt::format("; did you mean {}?", fmt::join(near, ", "));
  return fmt::format("; there is: {}", fmt::join(names, ", "));
}

}  // namespace filecall
