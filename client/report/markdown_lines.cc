// SPDX-License-Identifier: MIT
#include "client/report/markdown_lines.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "client/report/text_layout.h"

namespace filecall::client {
namespace {

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kCode = "\x1b[36m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::size_t kHeadingMarksMax = 6;

std::string styled(std::string_view style, std::string_view text) {
  return std::string(style) + std::string(text) + std::string(kPlain);
}

/// Where a span that begins at `from` with `mark` ends; npos: nowhere in this line, or it is empty.
std::size_t end_of_span(std::string_view text, std::size_t from, std::string_view mark) {
  const std::size_t end = text.find(mark, from + mark.size());
  return end == from + mark.size() ? std::string_view::npos : end;
}

std::string inline_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::string_view mark = rest.starts_with("**")  ? "**"
                                  : rest.starts_with("`") ? "`"
                                                          : std::string_view();
    const std::size_t end = mark.empty() ? std::string_view::npos : end_of_span(text, at, mark);
    if (end == std::string_view::npos) {
      out += text[at++];
      continue;
    }
    const std::size_t from = at + mark.size();
    out += styled(mark == "`" ? kCode : kBold, text.substr(from, end - from));
    at = end + mark.size();
  }
  return out;
}

/// The three marks or more that begin or end a block of code; empty: none.
std::string_view fence_of(std::string_view text) {
  for (const char mark : {'`', '~'}) {
    std::size_t count = 0;
    while (count < text.size() && text[count] == mark) ++count;
    if (count >= 3) return text.substr(0, count);
  }
  return {};
}

}  // namespace

std::string MarkdownLines::line(std::string_view text) {
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view body = text.substr(indent);
  const std::string_view fence = fence_of(body);
  if (!fence_.empty()) {
    const bool is_end = fence.starts_with(fence_) && body.size() == fence.size();
    if (is_end) fence_.clear();
    return is_end ? std::string(text) : styled(kCode, text);
  }
  if (!fence.empty()) {
    fence_ = std::string(fence);
    return std::string(text);
  }
  std::size_t marks = 0;
  while (marks < body.size() && body[marks] == '#') ++marks;
  if (marks > 0 && marks <= kHeadingMarksMax && marks < body.size() && body[marks] == ' ') {
    return styled(kBold, body.substr(marks + 1));
  }
  const std::string before(text.substr(0, indent));
  if (body.size() > 1 && body[1] == ' ' && (body[0] == '-' || body[0] == '*' || body[0] == '+')) {
    return before + "\u2022 " + inline_text(body.substr(2));
  }
  return before + inline_text(body);
}

std::string MarkdownLines::add(std::string_view text) {
  open_ += without_controls(text);
  std::string out;
  std::size_t at = 0;
  for (std::size_t end = open_.find('\n'); end != std::string::npos; end = open_.find('\n', at)) {
    out += line(std::string_view(open_).substr(at, end - at)) + "\n";
    at = end + 1;
  }
  open_.erase(0, at);
  return out;
}

std::string MarkdownLines::end() {
  const std::string last = std::move(open_);
  open_.clear();
  return last.empty() ? std::string() : line(last) + "\n";
}

std::string markdown_text(std::string_view text) {
  MarkdownLines lines;
  std::string out = lines.add(text);
  return out + lines.end();
}

}  // namespace filecall::client
