// SPDX-License-Identifier: MIT
#include "client/report/output_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
