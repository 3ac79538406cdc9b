// SPDX-License-Identifier: MIT
#include "client/eval/numbers.h"

#include <charconv>
#include <cmath>
#include <string>

namespace filecall::client {
namespace {

constexpr std::string_view kMinusSign = "\xe2\x88\x92";  // U+2212

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_byte(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t skip_digit_run(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// Whether ",ddd" with no fourth digit stands at `at`.
bool is_group(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] == ',' && skip_digit_run(text, at + 1) == at + 4;
}

/// The end of the number whose first digit (or decimal point) is at `begin`; its plain spelling is
/// put into `spelling`.
std::size_t read_number(std::string_view text, std::size_t begin, std::string& spelling) {
  std::size_t end = skip_digit_run(text, begin);
  spelling.assign(text.substr(begin, end - begin));
  if (end - begin >= 1 && end - begin <= 3) {
    for (; is_group(text, end); end += 4) spelling += text.substr(end + 1, 3);
  }
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    const std::size_t fraction = skip_digit_run(text, end + 1);
    spelling += text.substr(end, fraction - end);
    end = fraction;
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    const bool is_signed =
        exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+');
    const std::size_t digits = exponent + (is_signed ? 1 : 0);
    exponent = skip_digit_run(text, digits);
    if (exponent > digits) {
      spelling += 'e';
      if (is_signed) spelling += text[digits - 1] == '-' ? "-" : "";
      spelling += text.substr(digits, exponent - digits);
      end = exponent;
    }
  }
  return end;
}

/// Whether a minus before `begin` is a sign: not when it joins what stands before it ("3-4").
bool is_negative(std::string_view text, std::size_t begin) {
  std::string_view before = text.substr(0, begin);
  if (before.ends_with('$')) before.remove_suffix(1);
  if (before.ends_with('-')) {
    before.remove_suffix(1);
  } else if (before.ends_with(kMinusSign)) {
    before.remove_suffix(kMinusSign.size());
  } else {
    return false;
  }
  return before.empty() || !is_word_byte(before.back());
}

/// Whether what stands before makes it part of a word.
bool is_in_word(std::string_view text, std::size_t begin) {
  if (begin == 0 || !is_word_byte(text[begin - 1])) return false;
  // Other bytes than ASCII are letters or signs ("€5"); letters of other scripts are rare here.
  return static_cast<unsigned char>(text[begin - 1]) < 0x80;
}

}  // namespace

std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> found;
  std::string spelling;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_point = text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1]);
    if (!is_digit(text[at]) && !is_point) {
      ++at;
      continue;
    }
    const bool is_word = is_in_word(text, at);
    const bool is_minus = is_negative(text, at);
    at = read_number(text, at, spelling);
    if (is_word) continue;
    double value = 0;
    const auto [rest, status] =
        std::from_chars(spelling.data(), spelling.data() + spelling.size(), value);
    if (status == std::errc() && std::isfinite(value)) found.push_back(is_minus ? -value : value);
  }
  return found;
}

}  // namespace filecall::client
