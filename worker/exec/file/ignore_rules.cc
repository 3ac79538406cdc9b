// SPDX-License-Identifier: MIT
#include "worker/exec/file/ignore_rules.h"

#include <algorithm>

#include "base/take_until.h"

namespace filecall::worker::file {
namespace {

/// More lines than anybody writes; the rest of such a file stands for nothing.
constexpr std::size_t kRulesMax = 10'000;

/// Blanks at the end count only after a backslash.
std::string_view without_blanks(std::string_view line) {
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

}  // namespace

IgnoreRules::IgnoreRules(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty() && rules_.size() < kRulesMax) {
    std::string_view line = take_until(&text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    add_line(without_blanks(line));
  }
  is_whole_ = text.empty();
}

void IgnoreRules::add_line(std::string_view line) {
  if (line.empty() || line.starts_with('#')) return;
  bool takes_back = false, is_of_directories = false;
  if (line.starts_with('!')) {
    takes_back = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    is_of_directories = true;
    line.remove_suffix(1);
  }
  if (line.empty()) return;
  if (auto glob = PathGlob::compile(line)) {
    rules_.push_back({*std::move(glob), takes_back, is_of_directories});
  }
}

std::optional<bool> IgnoreRules::decide(std::string_view path, bool is_directory) const {
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) {
    return (is_directory || !rule.is_of_directories) && rule.glob.matches(path);
  });
  if (last == rules_.rend()) return std::nullopt;
  return !last->takes_back;
}

}  // namespace filecall::worker::file
