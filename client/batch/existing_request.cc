// SPDX-License-Identifier: MIT
#include "client/batch/existing_request.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <utility>

#include "client/core/same_request.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::client {

ExistingRequests::ExistingRequests(const spool::Layout& layout) : layout_(layout) {
  if (auto folder = open_file(layout.requests(), O_RDONLY | O_DIRECTORY)) {
    folder_ = std::move(*folder);
  }
}

std::string ExistingRequests::conflict(const Submission& submission) const {
  const std::string path = layout_.request(submission.request_id);
  // A batch asks this once a line: the folder's descriptor spares the walk.
  const std::string name = spool::Layout::file_name(submission.request_id);
  const auto fd = folder_.is_open()
                      ? open_regular_at(folder_.get(), name, O_RDONLY, layout_.requests())
                      : open_regular(path, O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return {};
  const auto advice = "use another id";
  if (!fd) return fmt::format("{}; {}", fd.error().message, advice);
  const auto existing = read_all(fd->get(), limits::kRequestBytesMax, path);
  if (!existing) return fmt::format("{}; {}", existing.error().message, advice);
  if (is_same_request(*existing, submission.bytes)) return {};
  return fmt::format("'{}': {} has other content; {}", submission.request_id, path, advice);
}

}  // namespace filecall::client
