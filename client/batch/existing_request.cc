// SPDX-License-Identifier: MIT
#include "client/batch/existing_request.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <utility>

#include "client/core/same_request.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr int kAskedOneByOne = 32;
constexpr std::size_t kNamesMax = 32 * 1024;  // They are read in some milliseconds.

}  // namespace

ExistingRequests::ExistingRequests(const spool::Layout& layout) : layout_(layout) {
  if (auto folder = open_file(layout.requests(), O_RDONLY | O_DIRECTORY)) {
    folder_ = std::move(*folder);
  }
}

bool ExistingRequests::may_have(std::string_view id) {
  if (asked_ < kAskedOneByOne && ++asked_ == kAskedOneByOne) read_names();
  return !names_ || names_->contains(spool::Layout::file_name(id));
}

void ExistingRequests::read_names() {
  if (!folder_.is_open()) return;
  auto reader = spool::DirectoryReader::open(folder_.get());
  if (!reader) return;
  spool::NameHashSet names;
  for (;;) {
    const auto more =
        reader->step([&](const spool::DirectoryEntry& entry) { names.insert(entry.name); });
    if (!more || names.size() > kNamesMax) return;
    if (!*more) break;
  }
  names_ = std::move(names);
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
