// SPDX-License-Identifier: MIT
#include "client/report/text_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/count_text.h"
#include "base/utf8.h"

namespace filecall::client {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// How many bytes the first character has, if a terminal does not show it but obeys it: C0, DEL,
/// C1, and what turns the direction of writing (U+061C, 200E, 200F, 202A..202E, 2066..2069), by
/// which a text can be made to look like another. 0: it is an ordinary one. `text` is valid UTF-8.
std::size_t hidden_bytes(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2;
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f);
  const bool is_embedding = byte(1) == 0x80 && byte(2) >= 0xaa && byte(2) <= 0xae;
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  return is_mark || is_embedding || is_isolate ? 3 : 0;
}

/// The bytes of a colour ("ESC [ 1 ; 31 m") at the beginning; 0: it is none.
std::size_t sgr_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string human_duration(Duration duration) {
  const std::int64_t s = std::chrono::duration_cast<seconds>(duration).count();
  if (s < 10) return fmt::format("{:.1f}s", static_cast<double>(to_ms(duration)) / 1000);
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m {:02}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h {:02}m", s / 3600, s % 3600 / 60);
  return fmt::format("{}d {}h", s / 86'400, s % 86'400 / 3600);
}

std::string human_ms(std::int64_t ms) {
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 60'000) return fmt::format("{:.2f} s", static_cast<double>(ms) / 1000);
  return human_duration(milliseconds(ms));
}

std::string human_count(std::int64_t count) { return grouped_digits(count); }

std::string human_rate(double per_second) {
  if (per_second < 100) return fmt::format("{:.1f}/s", per_second);
  return human_count(static_cast<std::int64_t>(per_second + 0.5)) + "/s";
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string without_controls(std::string_view text, std::string_view kept) {
  const std::string clean = sanitize_utf8(text);
  std::string out;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const std::size_t hidden = hidden_bytes(std::string_view(clean).substr(i));
    if (hidden == 0 || kept.find(clean[i]) != kept.npos) {
      out += clean[i];
    } else {
      out += kReplacement;
      i += hidden - 1;
    }
  }
  return out;
}

std::string for_terminal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find('\x1b'), text.size());
    out += without_controls(text.substr(0, escape));
    text.remove_prefix(escape);
    if (text.empty()) break;
    const std::size_t colour = sgr_bytes(text);
    out += colour > 0 ? text.substr(0, colour) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(colour, 1));
  }
  return out;
}

std::string one_line(std::string_view text, std::size_t columns) {
  const std::string clean = sanitize_utf8(text);
  std::string out;
  std::size_t characters = 0;
  std::size_t cut = 0;  // Where the text ends when "..." must still fit.
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const auto byte = static_cast<unsigned char>(clean[i]);
    if ((byte & 0xc0) != 0x80) {
      if (characters == columns) {
        if (columns < 3) return out;
        out.resize(cut);
        return out + "...";
      }
      if (characters + 3 <= columns) cut = out.size();
      ++characters;
    }
    const std::size_t hidden = hidden_bytes(std::string_view(clean).substr(i));
    if (byte == '\n' || byte == '\t') {
      out += ' ';
    } else if (hidden > 0) {
      out += kReplacement;
      i += hidden - 1;
    } else {
      out += clean[i];
    }
  }
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& number_columns) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], character_count(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string padding(widths[i] - character_count(row[i]), ' ');
      const bool is_number =
          std::find(number_columns.begin(), number_columns.end(), i) != number_columns.end();
      line += is_number ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string human_cost(double dollars) {
  if (dollars >= 1 || dollars <= 0) return fmt::format("${:.2f}", std::max(dollars, 0.0));
  // Two digits that are no zeros, and never an exponent; three decimals at least.
  constexpr double kLeast = 1e-12;
  if (dollars < kLeast) return fmt::format("<${:.12f}", kLeast);
  const int zeros = static_cast<int>(-std::floor(std::log10(dollars))) - 1;
  return fmt::format("${:.{}f}", dollars, std::max(zeros + 2, 3));
}

}  // namespace filecall::client
