// SPDX-License-Identifier: MIT
#include "edit/line_index.h"

#include <algorithm>
#include <array>

namespace filecall::edit {
namespace {

struct Spelling {
  std::string_view found;
  char ascii;
};

/// Sorted by nothing: each begins with one of four bytes, and few lines have any of them.
constexpr std::array kSpellings = std::to_array<Spelling>({
    {"\u2010", '-'},  {"\u2011", '-'}, {"\u2012", '-'},  {"\u2013", '-'},  {"\u2014", '-'},
    {"\u2015", '-'},  {"\u2212", '-'}, {"\u2018", '\''}, {"\u2019", '\''}, {"\u201A", '\''},
    {"\u201B", '\''}, {"\u201C", '"'}, {"\u201D", '"'},  {"\u201E", '"'},  {"\u201F", '"'},
    {"\u00A0", ' '},  {"\u2002", ' '}, {"\u2003", ' '},  {"\u2004", ' '},  {"\u2005", ' '},
    {"\u2006", ' '},  {"\u2007", ' '}, {"\u2008", ' '},  {"\u2009", ' '},  {"\u200A", ' '},
    {"\u202F", ' '},  {"\u205F", ' '}, {"\u3000", ' '},
});

const Spelling* spelling_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first != 0xC2 && first != 0xE2 && first != 0xE3) return nullptr;
  const auto found = std::ranges::find_if(
      kSpellings, [&](const Spelling& spelling) { return text.starts_with(spelling.found); });
  return found == kSpellings.end() ? nullptr : &*found;
}

std::string_view without_ends(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1);
}

}  // namespace

std::string_view folded(std::string_view line, std::string& storage) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  const bool is_plain = std::ranges::none_of(line, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xC2 || byte == 0xE2 || byte == 0xE3;
  });
  if (is_plain) return without_ends(line);
  storage.clear();
  for (std::size_t at = 0; at < line.size();) {
    const Spelling* spelling = spelling_at(line.substr(at));
    storage += spelling ? spelling->ascii : line[at];
    at += spelling ? spelling->found.size() : 1;
  }
  return without_ends(storage);
}

LineIndex::LineIndex(const TextLines& text) {
  numbers_.reserve(text.size());
  std::string scratch;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view line = text.text(i);
    std::string_view key = folded(line, scratch);
    auto found = known_.find(key);
    if (found == known_.end()) {
      const bool is_part = key.empty() || (key.data() >= line.data() &&
                                           key.data() + key.size() <= line.data() + line.size());
      if (!is_part) key = storage_.emplace_back(key);
      found = known_.emplace(key, static_cast<std::int32_t>(known_.size())).first;
    }
    numbers_.push_back(found->second);
  }
}

std::int32_t LineIndex::number_of(std::string_view line) const {
  std::string scratch;
  const auto found = known_.find(folded(line, scratch));
  return found == known_.end() ? kUnknown : found->second;
}

}  // namespace filecall::edit
