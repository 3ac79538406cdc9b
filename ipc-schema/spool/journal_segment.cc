// SPDX-License-Identifier: MIT
#include "spool/journal_segment.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "os/io.h"
#include "os/process.h"
#include "spool/publish.h"

namespace filecall::spool {
namespace {

// Two segments: enough answers (some 60 000) that a checkpoint is rare, and what it must write back
// (a block each) still takes a disk only a second or two.
constexpr off_t kFullBytes = 32 * 1024 * 1024;
// It grows by doubling: a root with little to do never has a large log.
constexpr off_t kGrowthMin = 256 * 1024;

Result<void> write_at(int fd, std::string_view bytes, off_t at, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno(errno, fmt::format("journal {}: write", name));
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
  return {};
}

Result<void> sync_data(int fd, const std::string& name) {
  if (::fdatasync(fd) == 0) return {};
  return fail_errno(errno, fmt::format("journal {}: fdatasync", name));
}

}  // namespace

Segment::Segment(int directory_fd, std::string name, std::uint64_t medium)
    : directory_fd_(directory_fd), name_(std::move(name)), header_{0, medium} {}

Result<Segment> Segment::create(int directory_fd, std::string name, std::uint64_t medium) {
  Segment segment(directory_fd, std::move(name), medium);
  segment.fd_ = UniqueFd(::openat(directory_fd, segment.name_.c_str(),
                                  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!segment.fd_.is_open()) {
    return fail_errno(errno, fmt::format("journal {}: create", segment.name_));
  }
  auto begun = segment.begin_lap();
  if (begun) begun = sync_directory(directory_fd);
  if (!begun) {
    ::unlinkat(directory_fd, segment.name_.c_str(), 0);
    return Unexpected(begun.error());
  }
  return segment;
}

Result<void> Segment::begin_lap() {
  header_.lap = random_seed();
  TRY(write_at(fd_.get(), encode_header(header_), 0, name_));
  TRY(sync_data(fd_.get(), name_));
  end_ = static_cast<off_t>(kSegmentHeaderBytes);
  written_ = std::max(written_, end_);
  return {};
}

Result<void> Segment::checked(Result<void> result) {
  if (!result) is_broken_ = true;
  return result;
}

Result<void> Segment::append(std::string_view records) {
  const off_t end = end_ + static_cast<off_t>(records.size());
  if (end > written_) {
    const off_t growth = std::max({end - written_, written_, kGrowthMin});
    const std::string zeros(static_cast<std::size_t>(written_ + growth - end), '\0');
    TRY(checked(write_at(fd_.get(), zeros, end, name_)));
    written_ += growth;
  }
  TRY(checked(write_at(fd_.get(), records, end_, name_)));
  TRY(checked(sync_data(fd_.get(), name_)));
  end_ = end;
  return {};
}

Result<void> Segment::restart() {
  if (written_ > 2 * kFullBytes) {
    // One answer of many megabytes made it so; it is not to stay.
    if (::ftruncate(fd_.get(), kFullBytes) != 0) {
      return checked(fail_errno(errno, fmt::format("journal {}: truncate", name_)));
    }
    written_ = kFullBytes;
  }
  return checked(begin_lap());
}

Result<void> Segment::remove() {
  if (::unlinkat(directory_fd_, name_.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, fmt::format("journal {}: remove", name_));
  }
  return sync_directory(directory_fd_);
}

bool Segment::is_full() const { return end_ >= kFullBytes; }

}  // namespace filecall::spool
