// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_content.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <utility>

#include "os/io.h"

namespace filecall::worker::file {

Result<void> check_size(const FileRules& rules, std::size_t bytes, std::string_view pointer) {
  if (bytes <= rules.config.file_bytes) return {};
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}: the content would have {} bytes, more than {} "
                          "(file.limits.file_bytes)",
                          pointer, bytes, rules.config.file_bytes));
}

Result<std::string> read_regular_content(const FileRules& rules, int fd, const struct stat& info,
                                         std::string_view what) {
  const std::size_t most = rules.config.file_bytes;
  if (static_cast<std::size_t>(info.st_size) > most) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} has {} bytes, more than {} (file.limits.file_bytes)", what,
                            info.st_size, most));
  }
  auto bytes = read_all(fd, most, what, static_cast<std::size_t>(info.st_size));
  // It grew meanwhile: to ask again would not help either.
  if (!bytes && bytes.error().code == ErrorCode::kResourceExhausted) {
    return fail(ErrorCode::kFailedPrecondition,
                bytes.error().message + " (file.limits.file_bytes)");
  }
  return bytes;
}

Result<FileContent> read_content(const FileRules& rules, std::string_view path,
                                 std::string_view pointer, SeenPlaces& seen) {
  TRY_ASSIGN(const FilePlace place, choose_place(rules.config, path, pointer));
  FileContent content;
  TRY_ASSIGN(content.place, open_place(rules, place, O_RDONLY, pointer, seen));
  if (!S_ISREG(content.place.info.st_mode)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' is a directory", pointer, path));
  }
  TRY_ASSIGN(content.bytes, read_regular_content(rules, content.place.fd.get(), content.place.info,
                                                 fmt::format("{}: '{}'", pointer, path)));
  return content;
}

}  // namespace filecall::worker::file
