// SPDX-License-Identifier: MIT
#include "base/duration.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace filecall {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

// Largest first, so that format_duration finds the shortest exact text.
constexpr std::array<Unit, 7> kTimeUnits = {{{"d", 86'400'000'000'000},
                                             {"h", 3'600'000'000'000},
                                             {"m", 60'000'000'000},
                                             {"s", 1'000'000'000},
                                             {"ms", 1'000'000},
                                             {"us", 1'000},
                                             {"ns", 1}}};
constexpr std::array<Unit, 7> kByteUnits = {{{"", 1},
                                             {"KiB", 1 << 10},
                                             {"MiB", 1 << 20},
                                             {"GiB", 1 << 30},
                                             {"kB", 1'000},
                                             {"MB", 1'000'000},
                                             {"GB", 1'000'000'000}}};
constexpr double kTenYearsNs = 3650.0 * 86'400'000'000'000.0;

/// Number and unit of `text`, multiplied; negative when the text is malformed.
template <std::size_t N>
double scaled(std::string_view text, const std::array<Unit, N>& units) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (status != std::errc() || !(number >= 0) || text.front() == '-') return -1;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& known : units) {
    if (known.name == unit) return number * static_cast<double>(known.factor);
  }
  return -1;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  if (text == "0") return Duration::zero();
  const double ns = text.empty() ? -1 : scaled(text, kTimeUnits);
  if (ns < 0 || ns > kTenYearsNs) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' is not a duration; write a number and a unit, e.g. 250ms, 10s, 5m",
                    text));
  }
  return Duration(static_cast<std::int64_t>(std::llround(ns)));
}

std::string format_duration(Duration duration) {
  for (const Unit& unit : kTimeUnits) {
    if (duration.count() != 0 && duration.count() % unit.factor == 0) {
      return fmt::format("{}{}", duration.count() / unit.factor, unit.name);
    }
  }
  return "0s";
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  const double bytes = text.empty() ? -1 : scaled(text, kByteUnits);
  if (bytes < 0 || bytes > 9e15) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' is not a size; write bytes or a unit, e.g. 65536, 64KiB, 16MiB", text));
  }
  return static_cast<std::uint64_t>(std::llround(bytes));
}

}  // namespace filecall
