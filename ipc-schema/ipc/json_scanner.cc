// SPDX-License-Identifier: MIT
#include "ipc/json_scanner.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/utf8.h"
#include "ipc/plain_run.h"

namespace filecall {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3f)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0 | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | (code >> 12)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | (code >> 18)));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

bool JsonScanner::refuse(const char* where, std::string reason) {
  at_ = where;
  reason_ = std::move(reason);
  return false;
}

bool JsonScanner::read_string(std::string_view& out) {
  const char* const opening = at_++;
  bool is_ascii = true;
  out = take_plain_run(is_ascii);
  if (at_ == end_ || *at_ != '"') {
    buffer_ = out;
    if (!read_rest(is_ascii)) return false;
    out = buffer_;
  }
  if (!is_ascii) {
    const std::string_view raw(opening, static_cast<std::size_t>(at_ - opening));
    const std::size_t bad = find_invalid_utf8(raw);
    if (bad != raw.npos) return refuse(opening + bad, "a byte that is not UTF-8");
  }
  ++at_;
  return true;
}

std::string_view JsonScanner::take_plain_run(bool& is_ascii) {
  const PlainRun run = plain_run({at_, static_cast<std::size_t>(end_ - at_)});
  is_ascii = is_ascii && run.is_ascii;
  at_ += run.size;
  return {at_ - run.size, run.size};
}

bool JsonScanner::read_rest(bool& is_ascii) {
  for (;;) {
    if (at_ == end_) return refuse(end_, "the text ends inside a string");
    if (*at_ == '"') return true;
    if (*at_ != '\\') {
      return refuse(at_, "a control character inside a string; escape it (\\n, \\t, \\u00..)");
    }
    if (!read_escape(buffer_)) return false;
    buffer_ += take_plain_run(is_ascii);
  }
}

bool JsonScanner::read_escape(std::string& out) {
  const char* const backslash = at_++;
  if (at_ == end_) return refuse(end_, "the text ends inside a string");
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (const auto letter = kLetters.find(*at_); letter != kLetters.npos) {
    out.push_back(kMeanings[letter]);
    ++at_;
    return true;
  }
  if (*at_ != 'u') return refuse(backslash, "an unknown escape inside a string");
  unsigned code = 0;
  if (!read_hex4(code)) return false;
  if (code >= 0xd800 && code < 0xdc00) {
    unsigned low = 0;
    const bool has_low = end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
    if (has_low) {
      ++at_;
      if (!read_hex4(low)) return false;
    }
    if (low < 0xdc00 || low > 0xdfff) return refuse(backslash, "half a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return refuse(backslash, "half a surrogate pair");
  }
  append_utf8(out, code);
  return true;
}

bool JsonScanner::read_hex4(unsigned& out) {
  const char* const digits = at_ + 1;
  if (end_ - digits < 4) return refuse(end_, "the text ends inside a string");
  const auto [stop, error] = std::from_chars(digits, digits + 4, out, 16);
  if (error != std::errc() || stop != digits + 4) {
    return refuse(at_ - 1, "\\u without four hex digits");
  }
  at_ = stop;
  return true;
}

bool JsonScanner::skip_digits() {
  if (at_ == end_ || !is_digit(*at_)) {
    return refuse(at_, at_ == end_ ? "the text ends inside a number" : "a digit is missing");
  }
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return true;
}

bool JsonScanner::read_number(Json& out) {
  const char* const first = at_;
  if (*at_ == '-') ++at_;
  if (end_ - at_ >= 2 && at_[0] == '0' && is_digit(at_[1])) {
    return refuse(first, "a number with a leading zero");
  }
  if (!skip_digits()) return false;
  bool is_integer = true;
  if (at_ != end_ && *at_ == '.') {
    is_integer = false;
    ++at_;
    if (!skip_digits()) return false;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    is_integer = false;
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!skip_digits()) return false;
  }
  return convert(first, is_integer, out);
}

bool JsonScanner::convert(const char* first, bool is_integer, Json& out) {
  if (is_integer) {
    std::int64_t number = 0;
    if (std::from_chars(first, at_, number).ec == std::errc()) {
      // As the library has it: what is not negative is unsigned.
      out = number < 0 ? Json(number) : Json(static_cast<std::uint64_t>(number));
      return true;
    }
    std::uint64_t large = 0;
    if (*first != '-' && std::from_chars(first, at_, large).ec == std::errc()) {
      out = large;
      return true;
    }
    if (!is_exact_) return convert(first, false, out);
    is_unrepresentable_ = true;
    return refuse(first, "an integer beyond 64 bits would lose digits; write it as a string");
  }
  double number = 0;
  if (std::from_chars(first, at_, number).ec != std::errc()) {
    // Out of range: strtod tells too small (0 or denormal, taken) from too large.
    number = std::strtod(std::string(first, at_).c_str(), nullptr);
    if (!std::isfinite(number)) {
      is_unrepresentable_ = true;
      return refuse(first, "a number is too large to be kept; write it as a string");
    }
  }
  out = number;
  return true;
}

bool JsonScanner::read_literal(std::string_view name) {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (rest.starts_with(name)) {
    at_ += name.size();
    return true;
  }
  if (name.starts_with(rest)) return refuse(end_, "the text ends inside a word");
  return refuse(at_, "an unknown word");
}

}  // namespace filecall
