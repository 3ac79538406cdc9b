// SPDX-License-Identifier: MIT
#include "worker/net/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>

namespace filecall::worker {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
// Longer names first: "ms" is no "m" followed by rubbish.
constexpr std::array<Unit, 7> kUnits = {
    {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}};

/// Numbers above this are no waits but points in time, in seconds or milliseconds since 1970.
constexpr double kEpochSecondsMin = 1e9;
constexpr double kEpochMsMin = 1e12;

Duration bounded(double wait_s) {
  // Also false for NaN.
  if (!(wait_s > 0)) return Duration::zero();
  if (wait_s >= std::chrono::duration<double>(kWaitMax).count()) return kWaitMax;
  return std::chrono::ceil<Duration>(std::chrono::duration<double>(wait_s));
}

Duration until(WallTime when, WallTime now) {
  return std::clamp<Duration>(when - now, Duration::zero(), kWaitMax);
}

std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (status != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::optional<Duration> parse_plain_number(std::string_view text, double unit_s) {
  const auto value = take_number(text);
  if (!value || !text.empty() || *value < 0) return std::nullopt;
  return bounded(*value * unit_s);
}

std::optional<int> parse_digits(std::string_view text) {
  if (text.starts_with('-')) return std::nullopt;
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A reset header: a wait, a point in time, or a Unix time.
std::optional<Duration> parse_reset(std::string_view text, WallTime now) {
  if (const auto when = parse_rfc3339(text)) return until(*when, now);
  std::string_view rest = text;
  if (const auto number = take_number(rest); number && rest.empty() && *number > kEpochSecondsMin) {
    const double now_s = std::chrono::duration<double>(now.time_since_epoch()).count();
    return bounded(*number / (*number > kEpochMsMin ? 1e3 : 1) - now_s);
  }
  return parse_wait(text);
}

/// The name of the limit that a reset header speaks of, as the name of its `remaining` header.
std::optional<std::string> remaining_of(std::string_view name) {
  constexpr std::string_view kOpenAi = "x-ratelimit-reset";
  constexpr std::string_view kAnthropic = "anthropic-ratelimit-";
  constexpr std::string_view kReset = "-reset";
  if (name.starts_with(kOpenAi)) {
    return "x-ratelimit-remaining" + std::string(name.substr(kOpenAi.size()));
  }
  if (name.starts_with(kAnthropic) && name.ends_with(kReset)) {
    return std::string(name.substr(0, name.size() - kReset.size())) + "-remaining";
  }
  return std::nullopt;
}

std::optional<Duration> latest_reset(const HttpHeaders& headers, WallTime now) {
  std::optional<Duration> of_all, of_exhausted;
  for (const auto& [name, value] : headers.fields()) {
    const auto remaining = remaining_of(name);
    if (!remaining) continue;
    const auto wait = parse_reset(value, now);
    if (!wait) continue;
    of_all = std::max(of_all.value_or(*wait), *wait);
    if (headers.find(*remaining) == "0") {
      of_exhausted = std::max(of_exhausted.value_or(*wait), *wait);
    }
  }
  return of_exhausted ? of_exhausted : of_all;
}

}  // namespace

std::optional<Duration> parse_wait(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (const auto plain = parse_plain_number(text, 1)) return plain;
  double total_s = 0;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number || *number < 0) return std::nullopt;
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                   [&](const Unit& u) { return text.starts_with(u.name); });
    if (unit == kUnits.end()) return std::nullopt;
    text.remove_prefix(unit->name.size());
    total_s += *number * unit->seconds;
  }
  return bounded(total_s);
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  // "Sun, 06 Nov 1994 08:49:37 GMT"
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  const std::size_t month = kMonths.find(text.substr(8, 3));
  const auto day = parse_digits(text.substr(5, 2)), year = parse_digits(text.substr(12, 4));
  const auto hour = parse_digits(text.substr(17, 2)), minute = parse_digits(text.substr(20, 2)),
             second = parse_digits(text.substr(23, 2));
  if (month == std::string_view::npos || month % 3 != 0 || !day || !year || !hour || !minute ||
      !second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1970 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  return WallTime(std::chrono::sys_days(date).time_since_epoch()) + std::chrono::hours(*hour) +
         std::chrono::minutes(*minute) + seconds(*second);
}

std::optional<Duration> explicit_delay(const HttpHeaders& headers, WallTime now) {
  if (const auto text = headers.find("retry-after-ms")) {
    if (const auto wait = parse_plain_number(*text, 1e-3)) return wait;
  }
  if (const auto text = headers.find("retry-after")) {
    if (const auto when = parse_http_date(*text)) return until(*when, now);
    if (const auto wait = parse_reset(*text, now)) return wait;
  }
  return std::nullopt;
}

std::optional<Duration> retry_delay(const HttpHeaders& headers, WallTime now) {
  const auto wait = explicit_delay(headers, now);
  return wait ? wait : latest_reset(headers, now);
}

}  // namespace filecall::worker
