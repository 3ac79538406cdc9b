// SPDX-License-Identifier: MIT
#include "spool/journal_reader.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace filecall::spool {
namespace {

constexpr std::size_t kWindowBytes = 1024 * 1024;
constexpr off_t kRecordAlignment = 8;

/// Fewer than `bytes` at the end of the file only.
Result<std::string> read_at(int fd, off_t at, std::size_t bytes, const std::string& name) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail_errno(errno, name);
  bytes = std::min(bytes, static_cast<std::size_t>(std::max<off_t>(info.st_size - at, 0)));
  std::string out(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t got = ::pread(fd, out.data() + have, bytes - have, at + static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("{}: read", name));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  out.resize(have);
  return out;
}

off_t aligned_down(off_t at) { return at / kRecordAlignment * kRecordAlignment; }

}  // namespace

Result<std::string_view> JournalReader::view(off_t at, std::size_t wanted) {
  const off_t window_end = window_at_ + static_cast<off_t>(window_.size());
  if (at < window_at_ || at + static_cast<off_t>(wanted) > window_end) {
    TRY_ASSIGN(window_, read_at(fd_, at, std::max(wanted, kWindowBytes), name_));
    window_at_ = at;
  }
  return std::string_view(window_).substr(static_cast<std::size_t>(at - window_at_), wanted);
}

Result<std::optional<SegmentHeader>> JournalReader::header(bool& is_blank) {
  TRY_ASSIGN(const std::string_view head, view(0, kSegmentHeaderBytes));
  is_blank = spool::is_blank(head);
  return decode_header(head);
}

off_t JournalReader::step_over(off_t at) {
  // Blocks are written with zeros ahead of the records, and a hole reads as zeros too.
  const std::size_t from = static_cast<std::size_t>(at - window_at_);
  const std::size_t next = window_.find_first_not_of('\0', from);
  if (next != std::string::npos) {
    const std::size_t behind = from + static_cast<std::size_t>(kRecordAlignment);
    return window_at_ + static_cast<off_t>(find_record(window_, behind));
  }
  const off_t end = window_at_ + static_cast<off_t>(window_.size());
  const off_t data = ::lseek(fd_, end, SEEK_DATA);
  // A record begins at most a header before its first byte that is not zero.
  if (data < 0) return errno == ENXIO ? -1 : std::max(at + kRecordAlignment, aligned_down(end));
  return std::max(at + kRecordAlignment, aligned_down(data));
}

Result<std::size_t> JournalReader::each(
    const SegmentHeader& header,
    const std::function<Result<void>(const JournalRecord&, const RecordPlace&)>& visit) {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return fail_errno(errno, name_);
  std::size_t after_gap = 0;
  bool has_gap = false;
  // Every piece of a crafted file may claim to begin a record as long as the file.
  std::uint64_t wasted_left = 4 * static_cast<std::uint64_t>(info.st_size) + kRecordBytesMax;
  for (off_t at = static_cast<off_t>(kSegmentHeaderBytes); at >= 0 && at < info.st_size;) {
    TRY_ASSIGN(const std::string_view head, view(at, kRecordHeaderBytes));
    const std::size_t size =
        record_size(head, header.lap, static_cast<std::uint64_t>(info.st_size - at));
    if (size > 0) {
      TRY_ASSIGN(const std::string_view bytes, view(at, size));
      if (const auto record = decode_record(bytes)) {
        if (has_gap) ++after_gap;
        TRY(visit(*record, {at, size}));
        at = aligned_down(at + static_cast<off_t>(size) + kRecordAlignment - 1);
        continue;
      }
      if (size > wasted_left) {
        return fail(ErrorCode::kDataLoss, fmt::format("{}: holds too much that only looks like "
                                                      "records",
                                                      name_));
      }
      wasted_left -= size;
    }
    has_gap = true;
    TRY(view(at, kRecordHeaderBytes));
    at = step_over(at);
  }
  return after_gap;
}

Result<std::string> JournalReader::bytes_at(const RecordPlace& place) {
  return read_at(fd_, place.at, place.bytes, name_);
}

}  // namespace filecall::spool
