// SPDX-License-Identifier: MIT
#include "base/time.h"

namespace filecall {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;

// A count of nanoseconds in 64 bits ends in April 2262. It begins in 1677, but then the difference
// of two instants, which most readers of one need, has no room in it.
constexpr int kYearMin = 1970;
constexpr int kYearMax = 2261;

/// Reads exactly `count` digits at `pos`, or nullopt.
std::optional<int> digits(std::string_view text, std::size_t pos, std::size_t count) {
  if (pos + count > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = pos; i < pos + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// "Z", "z" or "+hh:mm" / "-hh:mm".
std::optional<minutes> parse_offset(std::string_view text) {
  if (text == "Z" || text == "z") return minutes(0);
  if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto hour = digits(text, 1, 2);
  const auto minute = digits(text, 4, 2);
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  const minutes offset = hours(*hour) + minutes(*minute);
  return text[0] == '-' ? -offset : offset;
}

void put_digits(std::string& text, std::size_t pos, std::size_t count, int value) {
  for (std::size_t i = pos + count; i-- > pos; value /= 10) {
    text[i] = static_cast<char>('0' + value % 10);
  }
}

}  // namespace

std::string format_rfc3339(WallTime time) {
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const auto of_day = static_cast<int>(floor<milliseconds>(time - day).count());
  // Written by hand: every response carries three. 64 bits of nanoseconds span 1677..2262.
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(text, 0, 4, static_cast<int>(date.year()));
  put_digits(text, 5, 2, static_cast<int>(static_cast<unsigned>(date.month())));
  put_digits(text, 8, 2, static_cast<int>(static_cast<unsigned>(date.day())));
  put_digits(text, 11, 2, of_day / 3'600'000);
  put_digits(text, 14, 2, of_day / 60'000 % 60);
  put_digits(text, 17, 2, of_day / 1000 % 60);
  put_digits(text, 20, 3, of_day % 1000);
  return text;
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't' && text[10] != ' ') ||
      text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (*year < kYearMin || *year > kYearMax) return std::nullopt;
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  std::size_t pos = 19;
  std::int64_t fraction_ns = 0;
  if (pos < text.size() && text[pos] == '.') {
    std::int64_t unit_ns = 100'000'000;
    const std::size_t first = ++pos;
    for (; pos < text.size() && text[pos] >= '0' && text[pos] <= '9'; ++pos, unit_ns /= 10) {
      fraction_ns += (text[pos] - '0') * unit_ns;
    }
    if (pos == first) return std::nullopt;
  }
  const auto offset = parse_offset(text.substr(pos));
  if (!offset) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + hours(*hour) + minutes(*minute) +
         seconds(*second) + Duration(fraction_ns) - *offset;
}

}  // namespace filecall
