// SPDX-License-Identifier: MIT
#include "client/eval/text_form.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "base/utf8.h"

namespace filecall::client {
namespace {

bool is_white(utf8proc_int32_t point) {
  if (point == ' ' || (point >= '\t' && point <= '\r')) return true;
  if (point < 0x80) return false;
  const auto category = utf8proc_category(point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || point == 0x85;
}

bool is_punctuation(utf8proc_int32_t point) {
  const auto category = utf8proc_category(point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

/// Composed (NFC), and case folded if asked for; the text itself when that fails.
std::string composed(std::string_view text, bool fold_case) {
  auto options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  if (fold_case) options = static_cast<utf8proc_option_t>(options | UTF8PROC_CASEFOLD);
  utf8proc_uint8_t* out = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &out,
                                 static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owned(out, std::free);
  if (size < 0) return std::string(text);
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
}

/// Calls `visit(point, bytes)` for every code point of well-formed text.
template <typename Visit>
void for_each_point(std::string_view text, Visit&& visit) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const auto size = utf8proc_iterate(at, left, &point);
    if (size <= 0) return;
    visit(point,
          std::string_view(reinterpret_cast<const char*>(at), static_cast<std::size_t>(size)));
    at += size;
    left -= size;
  }
}

std::string one_spaced(std::string_view text) {
  std::string out;
  bool is_in_gap = false;
  for_each_point(text, [&](utf8proc_int32_t point, std::string_view bytes) {
    if (is_white(point)) {
      is_in_gap = true;
      return;
    }
    if (is_in_gap) out += ' ';
    is_in_gap = false;
    out += bytes;
  });
  if (is_in_gap) out += ' ';
  return out;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = std::string_view::npos;
  std::size_t end = 0;
  std::size_t at = 0;
  for_each_point(text, [&](utf8proc_int32_t point, std::string_view bytes) {
    if (!is_white(point)) {
      if (begin == std::string_view::npos) begin = at;
      end = at + bytes.size();
    }
    at += bytes.size();
  });
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

}  // namespace

std::string in_form(std::string_view text, const TextForm& form) {
  std::string out = composed(sanitize_utf8(text), form.ignore_case);
  if (form.one_space) out = one_spaced(out);
  if (form.trim) out = std::string(trimmed(out));
  return out;
}

std::vector<std::string> words_of(std::string_view text) {
  const std::string folded = composed(sanitize_utf8(text), true);
  std::vector<std::string> words;
  std::string word;      // From its first code point that is no punctuation.
  std::size_t kept = 0;  // Up to its last one.
  const auto end_word = [&] {
    word.resize(kept);
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
    kept = 0;
  };
  for_each_point(folded, [&](utf8proc_int32_t point, std::string_view bytes) {
    if (is_white(point)) return end_word();
    const bool is_mark = is_punctuation(point);
    if (is_mark && word.empty()) return;
    word += bytes;
    if (!is_mark) kept = word.size();
  });
  end_word();
  return words;
}

std::u32string code_points_of(std::string_view text) {
  std::u32string out;
  for_each_point(sanitize_utf8(text), [&](utf8proc_int32_t point, std::string_view) {
    out += static_cast<char32_t>(point);
  });
  return out;
}

}  // namespace filecall::client
