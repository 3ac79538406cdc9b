// SPDX-License-Identifier: MIT
#include "base/log.h"

namespace filecall {
namespace {

// Process-wide on purpose: a log line must be possible from everywhere without passing a logger.
LogSink* g_sink = nullptr;
LogLevel g_level = LogLevel::kOff;

}  // namespace

void set_log_sink(LogSink* sink, LogLevel level) {
  g_sink = sink;
  g_level = sink == nullptr ? LogLevel::kOff : level;
}

bool is_logged(LogLevel level) { return level >= g_level; }

void log_args(LogLevel level, fmt::string_view format, fmt::format_args args) {
  if (g_sink != nullptr) g_sink->write(level, fmt::vformat(format, args));
}

}  // namespace filecall
