// SPDX-License-Identifier: MIT
#include "os/log_sink.h"

#include <fcntl.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <string>

#include "os/regular_file.h"

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
    logger_.log(spdlog_level(level), json_ ? json_escaped(message) : std::string(message));
  }

 private:
  spdlog::logger logger_;
  bool json_;
};

}  // namespace

Result<std::unique_ptr<LogSink>> make_log_sink(const LogOptions& options) {
  try {  // spdlog reports an unusable file by exception only.
    spdlog::sink_ptr sink;
    if (options.path.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
          options.colour ? spdlog::color_mode::always : spdlog::color_mode::never);
    } else {
      TRY(open_regular(options.path, O_WRONLY | O_CREAT | O_APPEND));
      sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
          options.path, options.rotate_bytes, options.rotated_files);
    }
    return std::unique_ptr<LogSink>(new SpdlogSink(std::move(sink), options.json));
  } catch (const spdlog::spdlog_ex& e) {
    return fail(ErrorCode::kPermissionDenied, fmt::format("{}: {}", options.path, e.what()));
  }
}

}  // namespace filecall
