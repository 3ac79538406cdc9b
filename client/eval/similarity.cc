// SPDX-License-Identifier: MIT
#include "client/eval/similarity.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/edit_distance.h"
#include "client/eval/text_form.h"

namespace filecall::client {

std::optional<double> edit_similarity(std::string_view a, std::string_view b) {
  const std::u32string points_a = code_points_of(a);
  const std::u32string points_b = code_points_of(b);
  const std::size_t longer = std::max(points_a.size(), points_b.size());
  if (longer > kEditLengthMax) return std::nullopt;
  if (longer == 0) return 1.0;
  return 1.0 - static_cast<double>(edit_distance(points_a, points_b)) / static_cast<double>(longer);
}

double token_f1(std::string_view answer, std::string_view expected) {
  const auto said = words_of(answer);
  const auto wanted = words_of(expected);
  if (said.empty() || wanted.empty()) return said.empty() && wanted.empty() ? 1 : 0;
  std::unordered_map<std::string_view, std::int64_t> left;
  for (const std::string& word : wanted) ++left[word];
  std::int64_t common = 0;
  for (const std::string& word : said) {
    const auto found = left.find(word);
    if (found == left.end() || found->second == 0) continue;
    --found->second;
    ++common;
  }
  return 2.0 * static_cast<double>(common) / static_cast<double>(said.size() + wanted.size());
}

}  // namespace filecall::client
