// SPDX-License-Identifier: MIT
#include "client/report/items/body_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/io.h"

namespace filecall::client {
namespace {

constexpr std::size_t kMemoryBytes = 1 << 20;
constexpr std::size_t kPieceBytes = 1 << 16;

}  // namespace

void BodyFile::append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kMemoryBytes && status_) status_ = flush();
}

Result<void> BodyFile::flush() {
  if (!fd_.is_open()) {
    TRY_ASSIGN(fd_, open_file(folder_, O_RDWR | O_TMPFILE, 0600));
  }
  TRY(write_all(fd_.get(), buffer_, folder_));
  buffer_.clear();
  return {};
}

Result<void> BodyFile::read_back(const std::function<void(std::string_view)>& take) {
  if (!status_) return status_;
  if (fd_.is_open()) {
    std::string piece(kPieceBytes, '\0');
    for (off_t at = 0;;) {
      const ssize_t got = ::pread(fd_.get(), piece.data(), piece.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail_errno(errno, folder_);
      if (got == 0) break;
      take({piece.data(), static_cast<std::size_t>(got)});
      at += got;
    }
  }
  take(buffer_);
  return {};
}

}  // namespace filecall::client
