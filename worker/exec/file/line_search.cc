// SPDX-License-Identifier: MIT
#include "worker/exec/file/line_search.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace filecall::worker::file {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kBytesAtOnce = 256 * 1024;

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t feeds_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

Result<LineSearch> LineSearch::of_pattern(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  // What could go on in the next line would be looked for to the end of the text, once for each
  // line.
  options.set_never_nl(true);
  options.set_dot_nl(false);
  const auto is_wrong = [](const std::string& why) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("/params/pattern: {} (RE2's syntax; a text as it is goes into 'text')", why));
  };
  // By itself first: what is put before it must not become a part of it.
  const RE2 alone(pattern, options);
  if (!alone.ok()) return is_wrong(alone.error());
  LineSearch search;
  // (?m): "^" and "$" at each line.
  search.regex_ = std::make_shared<const RE2>("(?m)" + pattern, options);
  if (!search.regex_->ok()) return is_wrong(search.regex_->error());
  search.wants_cr_ = pattern.find("\\r") != pattern.npos || pattern.find('\r') != pattern.npos;
  return search;
}

Result<LineSearch> LineSearch::of_text(const std::string& text) {
  if (text.empty() || text.find('\n') != text.npos) {
    return fail(ErrorCode::kInvalidArgument,
                "/params/text: must be of one line and not empty; nothing fits across lines");
  }
  LineSearch search;
  search.text_ = text;
  search.wants_cr_ = text.find('\r') != text.npos;
  return search;
}

std::string LineSearch::plain(std::string text) const {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (wants_cr_ || text.find("\r\n") == text.npos) return text;
  std::size_t out = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    text[out++] = text[at];
  }
  text.resize(out);
  return text;
}

std::size_t LineSearch::next(std::string_view text, std::size_t from, std::size_t to) const {
  if (!regex_) {
    const std::string_view rest = text.substr(from, to - from);
    const void* found = ::memmem(rest.data(), rest.size(), text_.data(), text_.size());
    if (found == nullptr) return text.npos;
    return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  }
  re2::StringPiece fit;
  const re2::StringPiece whole(text.data(), text.size());
  if (!regex_->Match(whole, from, to, RE2::UNANCHORED, &fit, 1)) return text.npos;
  return static_cast<std::size_t>(fit.data() - text.data());
}

LineSearch::Found LineSearch::find(std::string_view text, std::size_t max,
                                   const std::atomic<bool>& is_cancelled) const {
  Found found;
  std::size_t line = 1, counted = 0;
  for (std::size_t from = 0; from < text.size() && !is_cancelled;) {
    // Some lines at a time, so that a cancel does not wait for the whole text.
    const std::size_t last = text.find('\n', std::min(from + kBytesAtOnce, text.size()));
    const std::size_t to = last == text.npos ? text.size() : last;
    const std::size_t at = next(text, from, to);
    if (at == text.npos) {
      from = to + 1;
      continue;
    }
    // Behind the last line feed there is no line.
    if (at == text.size() && text.ends_with('\n')) break;
    const std::size_t feed_before = at == 0 ? text.npos : text.rfind('\n', at - 1);
    const std::size_t begin = feed_before == text.npos ? 0 : feed_before + 1;
    const std::size_t feed = text.find('\n', at);
    const std::size_t end = feed == text.npos ? text.size() : feed;
    from = end + 1;
    ++found.count;
    if (found.matches.size() == max) continue;
    line += feeds_of(text.substr(counted, begin - counted));
    counted = begin;
    found.matches.push_back(
        {line, characters_of(text.substr(begin, at - begin)) + 1, begin, end, at});
  }
  return found;
}

}  // namespace filecall::worker::file
