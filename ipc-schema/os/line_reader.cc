// SPDX-License-Identifier: MIT
#include "os/line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace filecall {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;

}  // namespace

LineReader::LineReader(UniqueFd fd, std::string name, std::size_t line_bytes_max)
    : fd_(std::move(fd)), name_(std::move(name)), line_bytes_max_(line_bytes_max) {}

Result<bool> LineReader::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t old = buffer_.size();
  buffer_.resize(old + kChunkBytes);
  for (;;) {
    const ssize_t got = ::read(fd_.get(), buffer_.data() + old, kChunkBytes);
    if (got < 0 && errno == EINTR) continue;
    buffer_.resize(old + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0) return fail_errno(errno, name_ + ": read");
    return got > 0;
  }
}

LineReader::Line LineReader::take(std::size_t length, std::size_t skip) {
  Line line{std::string_view(buffer_).substr(begin_, length), ++number_, false};
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  if (is_skipping_ || line.text.size() > line_bytes_max_) line = {{}, number_, true};
  begin_ += length + skip;
  scanned_ = 0;
  is_skipping_ = false;
  return line;
}

Result<std::optional<LineReader::Line>> LineReader::next() {
  for (;;) {
    const std::size_t newline = buffer_.find('\n', begin_ + scanned_);
    if (newline != std::string::npos) return std::optional(take(newline - begin_, 1));
    scanned_ = buffer_.size() - begin_;
    if (scanned_ > line_bytes_max_ + 1) {  // One more than the bound may be the '\r'.
      is_skipping_ = true;
      begin_ = buffer_.size();
      scanned_ = 0;
    }
    TRY_ASSIGN(const bool got_more, fill());
    if (got_more) continue;
    if (scanned_ == 0 && !is_skipping_) return std::optional<Line>();
    return std::optional(take(scanned_, 0));
  }
}

}  // namespace filecall
