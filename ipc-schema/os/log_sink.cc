// SPDX-License-Identifier: MIT
#include "os/log_sink.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <string>
#include <utility>

#include "base/visible_text.h"
#include "os/rotating_file.h"

namespace filecall {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

/// `text` as the inside of a JSON string.
std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

/// spdlog's own rotates by path.
class RotatingSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit RotatingSink(RotatingFile file) : file_(std::move(file)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const auto written = file_.append({line.data(), line.size()});
    // Reported by the logger, at most once a second.
    if (!written) throw spdlog::spdlog_ex(written.error().message);
  }
  void flush_() override {}

  RotatingFile file_;
};

class SpdlogSink final : public LogSink {
 public:
  SpdlogSink(spdlog::sink_ptr sink, bool json) : logger_("filecall", std::move(sink)), json_(json) {
    logger_.set_level(spdlog::level::debug);
    logger_.flush_on(spdlog::level::info);
    logger_.set_pattern(
        json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","pid":%P,"message":"%v"})"
             : "%Y-%m-%dT%H:%M:%S.%e%z %^%-7l%$ %v");
  }

  void write(LogLevel level, std::string_view message) override {
    // Names and texts of others are in it: none of them makes a line of its own.
    logger_.log(spdlog_level(level), json_ ? json_escaped(message) : visible_line(message));
  }

 private:
  spdlog::logger logger_;
  bool json_;
};

}  // namespace

Result<std::unique_ptr<LogSink>> make_log_sink(const LogOptions& options) {
  spdlog::sink_ptr sink;
  if (options.path.empty()) {
    sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        options.colour ? spdlog::color_mode::always : spdlog::color_mode::never);
  } else {
    TRY_ASSIGN(RotatingFile file,
               RotatingFile::open(options.path, options.rotate_bytes, options.rotated_files));
    sink = std::make_shared<RotatingSink>(std::move(file));
  }
  return std::unique_ptr<LogSink>(new SpdlogSink(std::move(sink), options.json));
}

}  // namespace filecall
