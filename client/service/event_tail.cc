// SPDX-License-Identifier: MIT
#include "client/service/event_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "ipc/limits.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::size_t kChunkBytes = 256 * 1024;

}  // namespace

Result<void> EventTail::read(const std::function<void(std::string_view)>& visit) {
  const auto file = open_regular(path_, O_RDONLY);
  if (!file && file.error().code == ErrorCode::kNotFound) return {};
  if (!file) return Unexpected(file.error());
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return fail_errno(errno, path_);
  if (info.st_ino != inode_ || info.st_size < at_) at_ = 0;
  inode_ = info.st_ino;
  std::string text;
  for (std::size_t room = kChunkBytes; room <= 2 * limits::kEventsBytesMax;) {
    text.resize(room);
    const ssize_t size = ::pread(file->get(), text.data(), room, at_);
    if (size < 0) return fail_errno(errno, path_);
    std::string_view rest(text.data(), static_cast<std::size_t>(size));
    const std::size_t whole = rest.rfind('\n');
    if (whole == rest.npos) {
      if (rest.size() < room) return {};
      room *= 2;  // A line that is longer than this.
      continue;
    }
    at_ += static_cast<off_t>(whole) + 1;
    rest = rest.substr(0, whole + 1);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      visit(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
  }
  return {};
}

}  // namespace filecall::client
