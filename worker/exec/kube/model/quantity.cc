// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kQuantityBytes = 64;
constexpr long double kQuantityMax = 9.0e18L;
/// What adding decimal fractions leaves behind is no part of a thousandth.
constexpr long double kNoise = 1e-9L;

constexpr auto kSuffixes = std::to_array<std::pair<std::string_view, long double>>({
    {"", 1.0L},
    {"n", 1e-9L},
    {"u", 1e-6L},
    {"m", 1e-3L},
    {"k", 1e3L},
    {"M", 1e6L},
    {"G", 1e9L},
    {"T", 1e12L},
    {"P", 1e15L},
    {"E", 1e18L},
    {"Ki", 1024.0L},
    {"Mi", 1048576.0L},
    {"Gi", 1073741824.0L},
    {"Ti", 1099511627776.0L},
    {"Pi", 1125899906842624.0L},
    {"Ei", 1152921504606846976.0L},
});

bool is_amount_digit(char c) { return c >= '0' && c <= '9'; }

/// "e3", "E-6"; nullopt: it is no exponent.
std::optional<long double> power_of(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (!is_whole || exponent > 18 || exponent < -18) return std::nullopt;
  return std::pow(10.0L, static_cast<long double>(exponent));
}

}  // namespace

std::optional<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty() || text.size() > kQuantityBytes) return std::nullopt;
  const bool is_negative = text[0] == '-';
  if (is_negative || text[0] == '+') text.remove_prefix(1);
  long double value = 0;
  long double place = 1;
  bool has_digits = false;
  bool is_fraction = false;
  std::size_t at = 0;
  for (; at < text.size() && (is_amount_digit(text[at]) || (text[at] == '.' && !is_fraction));
       ++at) {
    if (text[at] == '.') {
      is_fraction = true;
      continue;
    }
    has_digits = true;
    value = value * 10 + static_cast<long double>(text[at] - '0');
    if (is_fraction) place *= 10;
  }
  if (!has_digits) return std::nullopt;
  value /= place;
  const std::string_view suffix = text.substr(at);
  std::optional<long double> factor = power_of(suffix);
  for (const auto& [name, meant] : kSuffixes) {
    if (name == suffix) factor = meant;
  }
  if (!factor) return std::nullopt;
  Quantity out;
  out.value_ = value * *factor * (is_negative ? -1 : 1);
  if (std::fabs(out.value_) > kQuantityMax) return std::nullopt;
  return out;
}

std::int64_t Quantity::thousandths() const {
  const long double most = std::min(std::fabs(value_) * 1000, kQuantityMax);
  return static_cast<std::int64_t>(std::ceil(std::copysign(most, value_) - kNoise));
}

std::int64_t Quantity::whole() const {
  const long double most = std::min(std::fabs(value_), kQuantityMax);
  return static_cast<std::int64_t>(std::ceil(std::copysign(most, value_) - kNoise));
}

}  // namespace filecall::worker::kube
