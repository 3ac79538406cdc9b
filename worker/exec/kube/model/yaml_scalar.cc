// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "worker/exec/kube/model/yaml_reader.h"

namespace filecall::worker::kube {
namespace {

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array kTrue = std::to_array<std::string_view>(
    {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
constexpr std::array kFalse = std::to_array<std::string_view>(
    {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
constexpr std::array kNull = std::to_array<std::string_view>({"", "~", "null", "Null", "NULL"});
constexpr std::array kNan = std::to_array<std::string_view>({".nan", ".NaN", ".NAN"});
constexpr std::array kInfinity = std::to_array<std::string_view>({".inf", ".Inf", ".INF"});

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Go's strconv.ParseInt(text, 0, 64) without its underscores, then ParseUint: the sign, then the
/// base by its prefix ("0" alone: octal). A number that only fits unsigned is kept as a float.
std::optional<Json> integer(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const bool is_signed = is_negative || text.starts_with('+');
  if (is_signed) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    text.remove_prefix(is_decimal(text[1]) ? 1 : 2);
    if (base == 8 && !is_decimal(mark) && mark != 'o') return std::nullopt;
  }
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value <= kMax) {
    return Json(is_negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value));
  }
  if (is_negative && value == kMax + 1) return Json(std::numeric_limits<std::int64_t>::min());
  return is_signed ? std::nullopt : std::optional<Json>(static_cast<double>(value));
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float_text(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_decimal(text[at])) ++at;
    return at - begin;
  };
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
  const bool has_whole = digits() > 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0 && !has_whole) return false;
  } else if (!has_whole) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

/// A float as it comes back from JSON: a whole number that fits is an integer (1.0 is sent as 1).
std::optional<Json> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end) return std::nullopt;
  // Too small to differ from zero is zero, too large is no number (as Go has it).
  if (error == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool is_tiny = exponent != std::string_view::npos && exponent + 1 < text.size() &&
                         text[exponent + 1] == '-';
    return is_tiny ? std::optional<Json>(0) : std::nullopt;
  }
  if (error != std::errc()) return std::nullopt;
  constexpr double kExact = 9.2e18;
  if (value == std::floor(value) && std::fabs(value) < kExact) {
    return Json(static_cast<std::int64_t>(value));
  }
  return Json(value);
}

}  // namespace

Json resolve_plain_scalar(const std::string& text) {
  if (is_among(kNull, text)) return nullptr;
  if (is_among(kTrue, text)) return true;
  if (is_among(kFalse, text)) return false;
  if (is_among(kNan, text)) return std::numeric_limits<double>::quiet_NaN();
  const bool is_signed = text[0] == '-' || text[0] == '+';
  if (is_among(kInfinity, std::string_view(text).substr(is_signed ? 1 : 0))) {
    const double infinity = std::numeric_limits<double>::infinity();
    return text[0] == '-' ? -infinity : infinity;
  }
  if (text[0] == '.') {
    if (is_float_text(text)) return number(text).value_or(Json(text));
    return text;
  }
  if (!is_signed && !is_decimal(text[0])) return text;
  std::string plain = text;
  std::erase(plain, '_');
  if (auto whole = integer(plain)) return *std::move(whole);
  if (is_float_text(plain)) return number(plain).value_or(Json(text));
  return text;
}

std::optional<std::string> resolve_plain_key(const std::string& text) {
  const Json value = resolve_plain_scalar(text);
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  std::string plain = text;
  std::erase(plain, '_');
  if (const auto whole = integer(plain)) {
    if (!whole->is_number_integer()) return std::nullopt;
    return std::to_string(whole->get<std::int64_t>());
  }
  const auto number = value.get<double>();
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                          static_cast<float>(number), std::chars_format::general);
  return std::string(buffer.data(), end);
}

}  // namespace filecall::worker::kube
