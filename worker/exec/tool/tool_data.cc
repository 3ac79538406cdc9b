// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_data.h"

#include <fmt/core.h>

#include <cstring>
#include <string>

#include "base/base64.h"
#include "base/utf8.h"

namespace filecall::worker {
namespace {

constexpr std::size_t kLastLineBytes = 300;

void put_output(Json* data, const std::string& name, const CapturedOutput& output) {
  std::string bytes = output.render();
  if (is_valid_utf8(bytes)) {
    (*data)[name] = std::move(bytes);
  } else {
    (*data)[name] = base64_encode(bytes);
    (*data)[name + "_base64"] = true;
  }
  (*data)[name + "_bytes"] = output.total_bytes();
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace

Json output_data(const CapturedOutput& out, const CapturedOutput& err) {
  Json data = Json::object();
  put_output(&data, "stdout", out);
  put_output(&data, "stderr", err);
  data["truncated"] = out.is_truncated() || err.is_truncated();
  return data;
}

Json result_data(const ChildResult& result, const CapturedOutput& out, const CapturedOutput& err,
                 std::string_view tool) {
  Json data = output_data(out, err);
  data["exit_code"] = result.exit_code ? Json(*result.exit_code) : Json();
  data["signal"] = result.signal ? Json(*result.signal) : Json();
  if (result.signal) data["signal_name"] = signal_name(*result.signal);
  data["duration_ms"] = to_ms(result.duration);
  data["user_ms"] = to_ms(result.user);
  data["system_ms"] = to_ms(result.system);
  data["max_rss_bytes"] = result.max_rss_bytes;
  if (result.has_survivors) data["survivors"] = true;
  if (!tool.empty()) data["tool"] = tool;
  return data;
}

Outcome judge(const ChildResult& result, const CapturedOutput& err, Json data, bool check,
              std::string_view name) {
  Failure failure;
  if (result.error) {
    failure.code = result.error->code;
    failure.message = result.error->message;
    return failure;
  }
  if (result.was_cancelled) {
    failure.code = ErrorCode::kCancelled;
    failure.message = fmt::format("{}: ended before it had finished", name);
    failure.details = std::move(data);
    return failure;
  }
  if (!check || result.exit_code == 0) return data;
  const std::string end = result.signal
                              ? fmt::format("ended by {}", signal_name(*result.signal))
                              : fmt::format("exit code {}", result.exit_code.value_or(-1));
  const std::string last_line = sanitize_utf8(err.last_line(kLastLineBytes));
  failure.code = ErrorCode::kUnknown;
  failure.retryable = true;
  failure.message = last_line.empty() ? fmt::format("{}: {}", name, end)
                                      : fmt::format("{}: {}: {}", name, end, last_line);
  failure.details = std::move(data);
  return failure;
}

}  // namespace filecall::worker
