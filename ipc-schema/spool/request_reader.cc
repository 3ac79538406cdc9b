// SPDX-License-Identifier: MIT
#include "spool/request_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/result.h"
#include "os/unique_fd.h"
#include "spool/identify.h"

namespace filecall::spool {
namespace {

constexpr std::size_t kBufferMin = 4096;
constexpr std::size_t kBufferKept = 1024 * 1024;

RequestFault unreadable(int error) {
  std::string message = errno_error(error, "request file cannot be read").message;
  if (error == EACCES) {
    message += "; make it readable for the worker's user (in the root of a group: chmod g+r)";
  }
  return {RequestFault::Kind::kSyntax, std::move(message), ""};
}

RequestFault too_large(std::int64_t size, std::size_t bytes_max) {
  return {RequestFault::Kind::kInvalid,
          fmt::format("request file has {} bytes; the limit is {}", size, bytes_max), ""};
}

Result<RequestFile, NoRequestFile> not_opened(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
      return NoRequestFile::kAbsent;
    case ELOOP:  // A symbolic link.
    case ENXIO:  // A socket, or a device without a driver.
    case ENODEV:
    case EISDIR:
      return NoRequestFile::kForeign;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EINTR:
    case EWOULDBLOCK:  // Somebody holds a write lease.
      return NoRequestFile::kTransient;
    default:
      return RequestFile{unreadable(error), {}, Writer::kUnknown, {}};
  }
}

}  // namespace

Writer probe_writer(int fd) {
  // If a writer opens the file in the moment between, the kernel signals the holder. The default,
  // SIGIO, would end the process; SIGURG is ignored unless somebody asks for it.
  ::fcntl(fd, F_SETSIG, SIGURG);
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
    ::fcntl(fd, F_SETLEASE, F_UNLCK);
    return Writer::kNone;
  }
  return errno == EAGAIN ? Writer::kOpen : Writer::kUnknown;
}

Writer confirm_writer(int fd, const FileIdentity& seen) {
  const Writer writer = probe_writer(fd);
  if (writer == Writer::kOpen) return writer;
  // The writer may have finished and gone since the bytes were read: then they are not the file's.
  struct stat info {};
  const bool is_unchanged = ::fstat(fd, &info) == 0 && identify(info) == seen;
  return is_unchanged ? writer : Writer::kOpen;
}

Result<RequestFile, NoRequestFile> RequestReader::read(int requests_fd,
                                                       const std::string& file_name,
                                                       std::string_view stem) {
  const UniqueFd fd(::openat(requests_fd, file_name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd.is_open()) return not_opened(errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0)
    return RequestFile{unreadable(errno), {}, Writer::kUnknown, {}};
  if (!S_ISREG(info.st_mode)) return NoRequestFile::kForeign;

  RequestFile file{RequestFault{}, identify(info), Writer::kUnknown, {info.st_uid, info.st_gid}};
  if (static_cast<std::uint64_t>(info.st_size) > limits_.bytes_max) {
    file.content = too_large(info.st_size, limits_.bytes_max);
  } else {
    auto filled = fill(fd.get(), static_cast<std::size_t>(info.st_size));
    if (filled) {
      auto parsed = parse_request({buffer_.data(), *filled}, stem, limits_);
      file.content = std::move(parsed);
    } else {
      file.content = RequestFault{RequestFault::Kind::kSyntax, std::move(filled).error(), ""};
    }
  }
  if (!file.content) {
    file.writer = confirm_writer(fd.get(), file.identity);
  }
  if (buffer_.size() > kBufferKept) std::string().swap(buffer_);
  return file;
}

Result<std::size_t, std::string> RequestReader::fill(int fd, std::size_t expected) {
  // One byte more than expected: a shorter read proves the end without a second call.
  if (buffer_.size() < expected + 1) buffer_.resize(std::max(expected + 1, kBufferMin));
  std::size_t filled = 0;
  for (;;) {
    const ssize_t got = ::read(fd, buffer_.data() + filled, buffer_.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(errno).message;
    filled += static_cast<std::size_t>(got);
    if (filled > limits_.bytes_max) {
      return std::string("request file grew beyond the limit while it was read");
    }
    if (got == 0 || (filled >= expected && filled < buffer_.size())) return filled;
    if (filled < buffer_.size()) continue;
    buffer_.resize(buffer_.size() * 2);  // It grew meanwhile.
  }
}

}  // namespace filecall::spool
