// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/base64.h"
#include "base/utf8.h"

namespace filecall::worker {
namespace {

constexpr std::size_t kLastLineBytes = 300;
constexpr std::size_t kCommandBytes = 120;

/// Of what is no blank, cut.
std::string last_line_of(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  const std::size_t start = text.rfind('\n');
  if (start != std::string_view::npos) text.remove_prefix(start + 1);
  return sanitize_utf8(text.substr(0, kLastLineBytes));
}

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

Json repositories_data(const ChildResult& result) {
  Json list = Json::array();
  for (const auto& [folder, head] : result.repositories) {
    list.push_back(
        {{"path", sanitize_utf8(folder)},
         {"set_aside", head.empty() ? Json() : Json(sanitize_utf8(folder + "/" + head))}});
  }
  return list;
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
  if (result.repositories_count > 0) {
    data["bare_repositories"] = repositories_data(result);
    data["bare_repositories_count"] = result.repositories_count;
  }
  if (!tool.empty()) data["tool"] = tool;
  return data;
}

std::string command_text(const std::vector<std::string>& argv) {
  std::string text;
  for (const std::string& word : argv) {
    const bool is_plain =
        !word.empty() && word.find_first_of(" \t\r\n\"'\\$`&|;<>()*?[]#~{}!") == std::string::npos;
    if (!text.empty()) text += ' ';
    text += is_plain ? word : "'" + word + "'";
    if (text.size() > kCommandBytes) break;
  }
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  if (text.size() <= kCommandBytes) return sanitize_utf8(text);
  text.resize(kCommandBytes);
  return sanitize_utf8(text) + "...";
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
  std::string last_line = sanitize_utf8(err.last_line(kLastLineBytes));
  // Some programs complain on standard output.
  if (last_line.empty() && !data.contains("stdout_base64") && data.contains("stdout")) {
    last_line = last_line_of(data["stdout"].get_ref<const std::string&>());
  }
  failure.code = ErrorCode::kUnknown;
  failure.retryable = true;
  failure.message = last_line.empty() ? fmt::format("{}: {}", name, end)
                                      : fmt::format("{}: {}: {}", name, end, last_line);
  failure.details = std::move(data);
  return failure;
}

}  // namespace filecall::worker
