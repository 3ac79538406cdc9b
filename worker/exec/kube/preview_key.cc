// SPDX-License-Identifier: MIT
#include "worker/exec/kube/preview_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "os/io.h"
#include "os/process.h"
#include "os/regular_file.h"

namespace filecall::worker::kube {
namespace {

/// What is kept, when it is whole and its owner's alone.
std::optional<DigestKey> read_key(const std::string& path) {
  const auto fd = open_regular(path, O_RDONLY);
  struct stat kept {};
  if (!fd || ::fstat(fd->get(), &kept) != 0) return std::nullopt;
  if ((kept.st_mode & 077U) != 0 || kept.st_uid != ::geteuid()) return std::nullopt;
  DigestKey key;
  const auto bytes = read_all(fd->get(), key.bytes.size(), path);
  if (!bytes || bytes->size() != key.bytes.size()) return std::nullopt;
  std::memcpy(key.bytes.data(), bytes->data(), key.bytes.size());
  return key;
}

}  // namespace

DigestKey draw_digest_key() {
  DigestKey key;
  for (std::size_t i = 0; i < key.bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t part = random_seed();
    std::memcpy(key.bytes.data() + i, &part, sizeof part);
  }
  return key;
}

Result<DigestKey> stored_preview_key(const std::string& directory) {
  if (directory.empty()) return fail(ErrorCode::kFailedPrecondition, "no cache directory");
  const std::string path = directory + "/preview.key";
  if (const auto key = read_key(path)) return *key;
  TRY(make_directories(directory));
  const DigestKey drawn = draw_digest_key();
  const std::string temp = fmt::format("{}.{}.tmp", path, ::getpid());
  const std::string bytes(drawn.bytes.begin(), drawn.bytes.end());
  ::unlink(temp.c_str());
  TRY_ASSIGN(const UniqueFd file, open_file(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  const auto written = write_all(file.get(), bytes, temp);
  // Two workers that draw at once agree on the one that linked first.
  const bool is_first = written && ::link(temp.c_str(), path.c_str()) == 0;
  const auto others = is_first ? std::nullopt : read_key(path);
  const bool is_kept =
      is_first || (written && !others && std::rename(temp.c_str(), path.c_str()) == 0);
  ::unlink(temp.c_str());
  if (is_kept) return drawn;
  if (others) return *others;
  return fail(ErrorCode::kUnavailable, fmt::format("{}: cannot be kept", path));
}

}  // namespace filecall::worker::kube
