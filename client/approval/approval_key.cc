// SPDX-License-Identifier: MIT
#include "client/approval/approval_key.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr std::size_t kKeyDigits = 64;

Result<std::optional<std::string>> read_key(const std::string& path) {
  auto fd = open_regular(path, O_RDONLY);
  if (!fd && fd.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  if (!fd) return Unexpected(fd.error());
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: must be yours alone (mode 0600), since who reads it can sign "
                            "decisions; remove it, and the next approval makes a new one",
                            path));
  }
  TRY_ASSIGN(std::string text, read_all(fd->get(), kKeyDigits + 1, path));
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() != kKeyDigits ||
      text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return fail(
        ErrorCode::kDataLoss,
        fmt::format("{}: is no key; remove it, and decisions that wait must be made again", path));
  }
  return std::optional(std::move(text));
}

Result<std::string> random_key() {
  unsigned char bytes[kKeyDigits / 2];
  if (::getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) return fail_errno(errno, "getrandom");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

Result<std::string> approval_key(const spool::Layout& layout) {
  const std::string path = layout.client_approval_key();
  TRY_ASSIGN(const auto there, read_key(path));
  if (there) return *there;
  TRY(make_directories(layout.client()));
  TRY_ASSIGN(const UniqueFd folder,
             open_file(layout.client(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  TRY_ASSIGN(const std::string key, random_key());
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string temporary = spool::next_temporary_name();
  const std::string bytes = key + "\n";
  TRY(spool::publish_new({.staging_fd = folder.get(),
                          .temporary_name = temporary,
                          .directory_fd = folder.get(),
                          .name = name,
                          .bytes = bytes}));
  TRY(spool::sync_directory(folder.get()));
  TRY_ASSIGN(const auto published, read_key(path));  // Another one's, when it was first.
  if (!published) return fail(ErrorCode::kNotFound, path + ": was removed as it was made");
  return *published;
}

}  // namespace filecall::client
