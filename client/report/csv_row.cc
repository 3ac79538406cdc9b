// SPDX-License-Identifier: MIT
#include "client/report/csv_row.h"

#include <fmt/core.h>

#include "base/utf8.h"

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

std::string csv_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  const bool is_formula =
      first != std::string_view::npos &&
      std::string_view("=+-@\t\r\n").find(text[first]) != std::string_view::npos;
  return csv_field(is_formula ? "'" + std::string(text) : std::string(text));
}

std::string csv_header() {
  return "request_id,command,state,attempts,latency_ms,queued_ms,run_ms,error_code,error_message,"
         "submitted_at,finished_at,from_earlier_run\r\n";
}

std::string csv_row(const RequestOutcome& outcome) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv_field(outcome.request_id),
                     csv_field(outcome.command), to_string(outcome.state), outcome.attempts,
                     outcome.latency_ms, outcome.queued_ms, outcome.run_ms,
                     outcome.error_code ? to_string(*outcome.error_code) : "",
                     csv_field(outcome.error_message), format_rfc3339(outcome.submitted_at),
                     format_rfc3339(outcome.finished_at), outcome.from_earlier_run);
}

}  // namespace filecall::client
