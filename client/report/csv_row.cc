// SPDX-License-Identifier: MIT
#include "client/report/csv_row.h"

#include "base/utf8.h"
#include "client/report/text_layout.h"

namespace filecall::client {

std::string csv_field(std::string_view text) {
  std::string clean = sanitize_utf8(text);
  if (clean.find_first_of(",\"\r\n") == std::string::npos) return clean;
  std::string out = "\"";
  for (const char c : clean) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string csv_text(std::string_view raw) {
  const std::string text = without_controls(raw, "\n\t\r");
  const std::size_t first = text.find_first_not_of(' ');
  const bool is_formula =
      first != std::string_view::npos &&
      std::string_view("=+-@\t\r\n").find(text[first]) != std::string_view::npos;
  return csv_field(is_formula ? "'" + text : text);
}

}  // namespace filecall::client
