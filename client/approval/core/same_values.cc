// SPDX-License-Identifier: MIT
#include "client/approval/core/same_values.h"

#include <algorithm>

namespace filecall::client {
namespace {

bool is_short_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

bool is_kill_signal(const std::vector<std::string>& words) {
  std::string text;
  for (const char c : words.back()) {
    text += static_cast<char>(c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
  }
  const bool is_option = text.starts_with('-') && !text.starts_with("--");
  if (!is_option && !is_short_option(words[words.size() - 2])) return false;
  if (is_option) text.erase(0, 1);
  for (const char* const letter : {"S", "N"}) {
    const bool is_attached = is_option && text.starts_with(letter) && !text.starts_with("SIG");
    if (is_attached) text.erase(0, 1);
  }
  if (text.starts_with("SIG")) text.erase(0, 3);
  return text == "KILL" || text.substr(std::min(text.find_first_not_of('0'), text.size())) == "9";
}

bool is_mode_of_all(const std::string& word) {
  if (word.ends_with("777") && word.find_first_not_of('0') == word.size() - 3) return true;
  const std::size_t sign = word.find_first_of("+=");
  if (sign == std::string::npos) return false;
  const std::string who = word.substr(0, sign);
  const std::string rights = word.substr(sign + 1);
  const auto has = [](const std::string& text, std::string_view letters) {
    return std::all_of(letters.begin(), letters.end(),
                       [&](char c) { return text.find(c) != std::string::npos; });
  };
  return (who.empty() || has(who, "a") || has(who, "ugo")) && has(rights, "rwx");
}

}  // namespace filecall::client
