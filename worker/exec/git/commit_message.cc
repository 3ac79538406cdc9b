// SPDX-License-Identifier: MIT
#include "worker/exec/git/commit_message.h"

#include <fmt/core.h>

#include <algorithm>

#include "worker/exec/git/git_handles.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

bool is_line(std::string_view text) {
  const bool is_blank = text.find_first_not_of(' ') == text.npos;
  return !is_blank && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
  });
}

Result<std::string> tidy_message(const std::string& text) {
  GitText out;
  if (text.find('\0') == text.npos) {
    const int status = ::git_message_prettify(out.out(), text.c_str(), 0, '#');
    if (status < 0) return git_failed(status, "/params/message");
  }
  if (out.view().empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "/params/message: a message has text, and holds no NUL");
  }
  return std::string(out.view());
}

bool ends_with_trailers(const std::string& message) {
  git_message_trailer_array found{};
  const bool is_read = ::git_message_trailers(&found, message.c_str()) == 0;
  const bool has_some = is_read && found.count > 0;
  ::git_message_trailer_array_free(&found);
  return has_some;
}

Result<std::string> trailer_lines(const Json& trailers) {
  std::string lines;
  for (const auto& [name, values] : trailers.items()) {
    const Json list = values.is_array() ? values : Json::array({values});
    for (const Json& value : list) {
      const auto text = value.get<std::string>();
      if (!is_line(text)) {
        return fail(ErrorCode::kInvalidArgument,
                    fmt::format("/params/trailers/{}: a trailer is one line of text", name));
      }
      lines += fmt::format("{}: {}\n", name, text);
    }
  }
  return lines;
}

}  // namespace

Result<std::string> commit_message(const std::string& text, const Json& trailers) {
  TRY_ASSIGN(std::string message, tidy_message(text));
  if (!trailers.is_object()) return message;
  TRY_ASSIGN(const std::string lines, trailer_lines(trailers));
  if (lines.empty()) return message;
  return message + (ends_with_trailers(message) ? "" : "\n") + lines;
}

}  // namespace filecall::worker::git
