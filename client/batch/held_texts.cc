// SPDX-License-Identifier: MIT
#include "client/batch/held_texts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "os/io.h"

namespace filecall::client {
namespace {

constexpr std::size_t kMemoryBytes = 1 << 20;

}  // namespace

Result<HeldTexts::Place> HeldTexts::keep(std::string_view text) {
  const Place place{written_ + buffer_.size(), static_cast<std::uint32_t>(text.size())};
  buffer_ += text;
  if (buffer_.size() >= kMemoryBytes && !has_no_file_) TRY(flush());
  return place;
}

Result<void> HeldTexts::flush() {
  if (!fd_.is_open()) {
    auto fd = open_file(folder_, O_RDWR | O_TMPFILE, 0600);
    if (!fd) {
      has_no_file_ = true;
      return {};
    }
    fd_ = std::move(*fd);
  }
  TRY(write_all(fd_.get(), buffer_, folder_));
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<std::string> HeldTexts::read(const Place& place) const {
  if (place.offset >= written_) return buffer_.substr(place.offset - written_, place.bytes);
  std::string text(place.bytes, '\0');
  for (std::size_t have = 0; have < text.size();) {
    const ssize_t got = ::pread(fd_.get(), text.data() + have, text.size() - have,
                                static_cast<off_t>(place.offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, folder_);
    if (got == 0) return fail(ErrorCode::kDataLoss, folder_ + ": a temporary file is too short");
    have += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace filecall::client
