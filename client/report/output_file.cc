// SPDX-License-Identifier: MIT
#include "client/report/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

/// Whether the path still names the open file.
bool is_named(int fd, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

std::int64_t count_lines(std::string_view bytes) {
  return std::count(bytes.begin(), bytes.end(), '\n');
}

/// Whether a file that is there has more lines than so many; also when it cannot be read.
bool has_more_lines(const std::string& path, std::int64_t lines) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  const auto file = open_regular(path, O_RDONLY);
  if (!file) return true;
  std::int64_t found = 0;
  std::string bytes(kBufferBytes, '\0');
  while (found <= lines) {
    const ssize_t size = ::read(file->get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size < 0;
    found += count_lines({bytes.data(), static_cast<std::size_t>(size)});
  }
  return true;
}

}  // namespace

Result<OutputFile> OutputFile::create(std::string path) {
  for (;;) {
    TRY_ASSIGN(UniqueFd fd, open_regular(path + ".part", O_WRONLY | O_CREAT, 0666));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return fail_errno(errno, path + ".part: flock");
      return fail(ErrorCode::kUnavailable,
                  path +
                      ": another filecall writes it now; wait until that one has ended, or name "
                      "another file");
    }
    // Its last owner may have given it its name, or removed it, before it was locked.
    if (!is_named(fd.get(), path + ".part")) continue;
    if (::ftruncate(fd.get(), 0) != 0) return fail_errno(errno, path + ".part");
    return OutputFile(std::move(path), std::move(fd));
  }
}

OutputFile::~OutputFile() {
  if (fd_.is_open()) ::unlink(part().c_str());
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  lines_ += count_lines(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  if (status_) status_ = write_all(fd_.get(), buffer_, path_);
  buffer_.clear();
}

Result<void> OutputFile::finish() { return finish_as(path_); }

Result<void> OutputFile::finish_incomplete(std::int64_t lost) {
  struct stat older {};
  const bool has_older = ::lstat(path_.c_str(), &older) == 0;
  const std::string name = has_older ? path_ + ".incomplete" : path_;
  TRY(finish_as(name));
  return fail(ErrorCode::kDataLoss,
              fmt::format("{}: lacks {} answer{} that are not there any more, removed by gc or by "
                          "somebody{}; --fresh asks again",
                          name, lost, lost == 1 ? "" : "s",
                          has_older ? "; " + path_ + " is left as it was" : ""));
}

Result<void> OutputFile::finish_stopped() {
  if (!has_more_lines(path_, lines_)) return finish();
  TRY(finish_as(path_ + ".incomplete"));
  return fail(ErrorCode::kAborted,
              fmt::format("{}: has more lines than this run reached before it stopped, and is left "
                          "as it was; what the run reached is in {}.incomplete",
                          path_, path_));
}

Result<void> OutputFile::finish_as(const std::string& name) {
  CHECK(fd_.is_open(), "a result file is finished once");
  flush();
  if (status_ && ::rename(part().c_str(), name.c_str()) != 0) {
    status_ = fail_errno(errno, name);
  }
  if (!status_) return status_;
  fd_.reset();
  return {};
}

}  // namespace filecall::client
