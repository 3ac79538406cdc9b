// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string_view>

namespace filecall {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError, kOff };

/// Receives every log line at or above its level. Called from any thread.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(LogLevel level, std::string_view message) = 0;
};

/// Sets where log lines go (nullptr: nowhere, the state at start) and the lowest level that is
/// formatted at all. Called once by main before other threads exist; the sink must outlive them.
void set_log_sink(LogSink* sink, LogLevel level);
bool is_logged(LogLevel level);
void log_args(LogLevel level, fmt::string_view format, fmt::format_args args);

/// `log_info("{}: published", stem)`. A line is one event; data in it comes after a colon. Never a
/// secret, never a request's params.
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::kDebug)) {
    log_args(LogLevel::kDebug, format, fmt::make_format_args(args...));
  }
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::kInfo)) log_args(LogLevel::kInfo, format, fmt::make_format_args(args...));
}
template <typename... Args>
void log_warn(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::kWarn)) log_args(LogLevel::kWarn, format, fmt::make_format_args(args...));
}
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  if (is_logged(LogLevel::kError)) {
    log_args(LogLevel::kError, format, fmt::make_format_args(args...));
  }
}

}  // namespace filecall
