// SPDX-License-Identifier: MIT
#include "client/batch/existing_request.h"

#include <fcntl.h>
#include <fmt/core.h>

#include "client/core/same_request.h"
#include "ipc/limits.h"
#include "os/io.h"

namespace filecall::client {

std::string conflict_with_existing(const spool::Layout& layout, const Submission& submission) {
  const std::string path = layout.request(submission.request_id);
  auto fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return {};
  const auto advice = "use another id, or remove that request with 'filecall gc'";
  if (!fd) return fmt::format("{}; {}", fd.error().message, advice);
  const auto existing = read_all(fd->get(), limits::kRequestBytesMax, path);
  if (!existing) return fmt::format("{}; {}", existing.error().message, advice);
  if (is_same_request(*existing, submission.bytes)) return {};
  return fmt::format("'{}': {} has other content; {}", submission.request_id, path, advice);
}

}  // namespace filecall::client
