// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace filecall::client {

/// How everything that is printed for people is written. Pure.

/// "0.4s", "12s", "3m 05s", "2h 07m", "4d 3h".
std::string human_duration(Duration duration);
/// Milliseconds as "7 ms", "1.25 s", "3m 05s".
std::string human_ms(std::int64_t ms);
/// "1 234 567": digits in groups of three (a space reads the same in every language).
std::string human_count(std::int64_t count);
/// "3.2/s", "1 250/s".
std::string human_rate(double per_second);
/// "512 B", "3.4 MiB".
std::string human_bytes(std::uint64_t bytes);

/// Untrusted text on one terminal line: control characters (escape sequences among them) and
/// malformed UTF-8 become U+FFFD, newlines spaces; cut to `columns` characters with "...".
std::string one_line(std::string_view text, std::size_t columns);
/// Untrusted text whose lines stay: control characters but those in `kept`, DEL, C1, and the
/// characters that turn the direction of writing become U+FFFD.
std::string without_controls(std::string_view text, std::string_view kept = "\n\t");
/// The same for what goes to a terminal as a whole; colours (SGR) stay.
std::string for_terminal(std::string_view text);
/// Characters, not bytes. Wide and combining characters count as one: good enough to align.
std::size_t character_count(std::string_view text);

/// Rows in columns, left-aligned, two spaces apart, no trailing spaces; the first row is the
/// header. `number_columns`: right-aligned ones.
std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& number_columns = {});

/// Dollars, with as many digits as matter: "$12.30", "$0.014", "$0.00042"; "$0.00" only for
/// nothing.
std::string human_cost(double dollars);

}  // namespace filecall::client
