// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/reread_file.h"

#include <fmt/core.h>

#include "os/io.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kTextBytesMax = 1024 * 1024;
constexpr Duration kAge = seconds(60);

}  // namespace

Result<Secret> RereadFile::text(MonotonicTime now) {
  if (read_at_ && now - *read_at_ < kAge) return *text_;
  auto read = read_file(path_, kTextBytesMax);
  if (read) {
    const std::size_t begin = std::min(read->find_first_not_of(" \t\r\n"), read->size());
    const std::size_t end = read->find_last_not_of(" \t\r\n");
    text_ = Secret(end == std::string::npos ? "" : read->substr(begin, end + 1 - begin));
    explicit_bzero(read->data(), read->size());
    read_at_ = now;
  }
  if (!text_ || text_->empty()) {
    return fail(ErrorCode::kUnauthenticated,
                fmt::format("kubeconfig: {} cannot be read or is empty{}", path_,
                            read ? "" : ": " + read.error().message));
  }
  return *text_;
}

}  // namespace filecall::worker::kube
