// SPDX-License-Identifier: MIT
#include "worker/proc/captured_output.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"

namespace filecall::worker {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// `text` without a character at its end that lacks bytes.
std::string_view without_split_end(std::string_view text) {
  return text.substr(0, text.size() - unfinished_utf8_end(text));
}

/// `text` without the rest of a character whose lead byte is missing.
std::string_view without_split_start(std::string_view text) {
  std::size_t skip = 0;
  while (skip < std::min<std::size_t>(3, text.size()) && is_continuation(text[skip])) ++skip;
  return text.substr(skip);
}

}  // namespace

CapturedOutput::CapturedOutput(std::size_t cap_bytes)
    : cap_bytes_(cap_bytes), head_cap_(cap_bytes - cap_bytes / 2) {}

void CapturedOutput::append(std::string_view bytes) {
  total_bytes_ += bytes.size();
  const std::size_t to_head = std::min(bytes.size(), head_cap_ - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);

  const std::size_t ring_cap = cap_bytes_ - head_cap_;
  if (bytes.size() > ring_cap) bytes.remove_prefix(bytes.size() - ring_cap);
  const std::size_t to_grow = std::min(bytes.size(), ring_cap - ring_.size());
  ring_.append(bytes.substr(0, to_grow));
  bytes.remove_prefix(to_grow);
  while (!bytes.empty()) {
    const std::size_t run = std::min(bytes.size(), ring_.size() - ring_start_);
    std::copy_n(bytes.begin(), run, ring_.begin() + static_cast<std::ptrdiff_t>(ring_start_));
    ring_start_ = (ring_start_ + run) % ring_.size();
    bytes.remove_prefix(run);
  }
}

std::string CapturedOutput::tail() const {
  return ring_.substr(ring_start_) + ring_.substr(0, ring_start_);
}

std::string CapturedOutput::render() const {
  const std::string tail_bytes = tail();
  if (!is_truncated()) return head_ + tail_bytes;
  const std::string_view head = without_split_end(head_);
  const std::string_view end = without_split_start(tail_bytes);
  const std::uint64_t omitted = total_bytes_ - head.size() - end.size();
  const std::string_view before = head.empty() || head.back() == '\n' ? "" : "\n";
  return fmt::format("{}{}[... {} bytes omitted ...]\n{}", head, before, omitted, end);
}

std::string CapturedOutput::last_line(std::size_t max_bytes) const {
  const std::string text = is_truncated() ? tail() : head_ + tail();
  std::string_view rest = text;
  const std::size_t end = rest.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  rest = rest.substr(0, end + 1);
  const std::size_t start = rest.rfind('\n');
  if (start != std::string_view::npos) rest.remove_prefix(start + 1);
  if (rest.size() > max_bytes) rest = without_split_end(rest.substr(0, max_bytes));
  return std::string(rest);
}

}  // namespace filecall::worker
