// SPDX-License-Identifier: MIT
#include "client/threads/line_walk.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace filecall::client {
namespace {

/// Most files are small, and of the others much is read at once.
constexpr std::size_t kFirstBytes = 16 * 1024;
constexpr std::size_t kForwardBytes = 256 * 1024;
constexpr std::int64_t kBackwardBytes = 64 * 1024;

Result<std::size_t> read_at(int fd, char* into, std::size_t bytes, std::int64_t offset,
                            const std::string& path) {
  ssize_t got = 0;
  do {
    got = ::pread(fd, into, bytes, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fail_errno(errno, path + ": read");
  return static_cast<std::size_t>(got);
}

}  // namespace

Result<bool> ForwardWalk::fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t had = buffer_.size();
  const std::size_t wanted = had_first_ ? kForwardBytes : kFirstBytes;
  had_first_ = true;
  buffer_.resize(had + wanted);
  const auto got = read_at(fd_, buffer_.data() + had, wanted,
                           offset_ + static_cast<std::int64_t>(skipped_ + had), path_);
  buffer_.resize(had + got.value_or(0));
  if (!got) return Unexpected(got.error());
  was_short_ = *got > 0 && *got < wanted;
  return *got > 0;
}

Result<std::optional<WalkedLine>> ForwardWalk::next() {
  for (;;) {
    const std::size_t at = buffer_.find('\n', begin_ + scanned_);
    if (at != std::string::npos) {
      const std::size_t length = at - begin_;
      WalkedLine line{std::string_view(buffer_).substr(begin_, length), offset_, false, false};
      if (skipped_ + length > line_bytes_max_) line = {{}, offset_, true, false};
      offset_ += static_cast<std::int64_t>(skipped_ + length + 1);
      begin_ = at + 1;
      scanned_ = skipped_ = 0;
      return std::optional(line);
    }
    scanned_ = buffer_.size() - begin_;
    if (scanned_ > line_bytes_max_) {
      skipped_ += scanned_;
      begin_ = buffer_.size();
      scanned_ = 0;
    }
    // What was read short ended there; it may be longer when the next line is asked for.
    const bool more = !std::exchange(was_short_, false);
    TRY_ASSIGN(const bool has_read, more ? fill() : Result<bool>(false));
    if (!has_read) return std::optional<WalkedLine>();
  }
}

Result<BackwardWalk> BackwardWalk::open(int fd, std::string path, std::size_t line_bytes_max) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail_errno(errno, path + ": stat");
  BackwardWalk walk(fd, std::move(path), line_bytes_max, info.st_size);
  walk.is_done_ = info.st_size == 0;
  if (walk.is_done_) return walk;
  TRY(walk.load(true));
  walk.is_torn_ = walk.buffer_.back() != '\n';
  if (!walk.is_torn_) --walk.end_;
  return walk;
}

Result<void> BackwardWalk::load(bool keeps) {
  const std::int64_t from = std::max<std::int64_t>(0, base_ - kBackwardBytes);
  std::string bytes(static_cast<std::size_t>(base_ - from), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    TRY_ASSIGN(const std::size_t got, read_at(fd_, bytes.data() + done, bytes.size() - done,
                                              from + static_cast<std::int64_t>(done), path_));
    if (got == 0) {
      return fail(ErrorCode::kAborted, path_ + ": became shorter while it was read; try again");
    }
    done += got;
  }
  if (keeps) bytes.append(buffer_, 0, static_cast<std::size_t>(end_ - base_));
  buffer_ = std::move(bytes);
  base_ = from;
  return {};
}

Result<std::optional<WalkedLine>> BackwardWalk::next() {
  if (is_done_) return std::optional<WalkedLine>();
  bool is_too_long = false;
  for (std::int64_t scan_end = end_;;) {
    const std::size_t window = static_cast<std::size_t>(scan_end - base_);
    const std::size_t newline = std::string_view(buffer_).substr(0, window).rfind('\n');
    if (newline == std::string_view::npos && base_ > 0) {
      is_too_long = is_too_long || static_cast<std::size_t>(end_ - base_) > line_bytes_max_;
      scan_end = base_;
      TRY(load(!is_too_long));
      continue;
    }
    const std::int64_t begin =
        newline == std::string_view::npos ? 0 : base_ + static_cast<std::int64_t>(newline) + 1;
    const auto length = static_cast<std::size_t>(end_ - begin);
    WalkedLine line{{}, begin, is_too_long || length > line_bytes_max_, is_torn_};
    if (!line.is_too_long) {
      line.text = std::string_view(buffer_).substr(static_cast<std::size_t>(begin - base_), length);
    }
    is_torn_ = false;
    is_done_ = begin == 0;
    end_ = begin - 1;
    return std::optional(line);
  }
}

}  // namespace filecall::client
