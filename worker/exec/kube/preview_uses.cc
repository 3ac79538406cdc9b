// SPDX-License-Identifier: MIT
#include "worker/exec/kube/preview_uses.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::worker::kube {
namespace {

/// Longer than any preview counts by anybody's configuration (kube.preview_validity), and clocks
/// differ.
constexpr std::int64_t kKeptSeconds = 2 * 24 * 3600;

Unexpected<Error> used_up() {
  return fail(ErrorCode::kFailedPrecondition,
              "/params/expectedDigest: a write has used this preview up (perhaps this one, before "
              "the worker was restarted); read the object, and ask kube.diffResource again");
}

std::string name_of(const PreviewStamp& stamp) {
  return fmt::format("{}-{}", stamp.issued_s, stamp.id);
}

/// When the preview of that name was issued; nullopt: the name is not one of ours.
std::optional<std::int64_t> issued_by(std::string_view name) {
  PreviewStamp stamp;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), stamp.issued_s);
  if (error != std::errc()) return std::nullopt;
  const auto dash = static_cast<std::size_t>(end - name.data());
  stamp.id = name.substr(std::min(dash + 1, name.size()));
  const bool is_id = stamp.id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_id || stamp.id.empty() || name_of(stamp) != name) return std::nullopt;
  return stamp.issued_s;
}

/// Nothing but what was made here.
void forget_expired(int folder, std::int64_t now_s) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = again < 0 ? nullptr : ::fdopendir(again);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    const auto issued_s = issued_by(entry->d_name);
    if (issued_s && *issued_s + kKeptSeconds < now_s) ::unlinkat(folder, entry->d_name, 0);
  }
  ::closedir(entries);
}

}  // namespace

Result<UniqueFd> PreviewUses::open_folder() const {
  const std::string path = directory_ + "/previews-used";
  TRY(make_directories(path));
  TRY_ASSIGN(UniqueFd folder, open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  struct stat info {};
  if (::fstat(folder.get(), &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: others own it or may write to it, and could let a preview count "
                            "twice; remove it",
                            path));
  }
  return folder;
}

Result<void> PreviewUses::take(const PreviewStamp& stamp, std::int64_t now_s) {
  std::erase_if(in_memory_,
                [&](const auto& entry) { return entry.second + validity_s_ + 60 < now_s; });
  if (directory_.empty()) {
    if (!in_memory_.emplace(stamp.id, stamp.issued_s).second) return used_up();
    return {};
  }
  TRY_ASSIGN(const UniqueFd folder, open_folder());
  forget_expired(folder.get(), now_s);
  const auto file =
      open_regular_at(folder.get(), name_of(stamp), O_WRONLY | O_CREAT | O_EXCL, "previews-used");
  if (!file && file.error().code == ErrorCode::kAlreadyExists) return used_up();
  if (!file) return Unexpected<Error>(file.error());
  // The name as well: after a power cut it would count once more.
  ::fsync(file->get());
  ::fsync(folder.get());
  return {};
}

void PreviewUses::give_back(const PreviewStamp& stamp) {
  in_memory_.erase(stamp.id);
  if (directory_.empty()) return;
  if (const auto folder = open_folder()) {
    ::unlinkat(folder->get(), name_of(stamp).c_str(), 0);
  }
}

}  // namespace filecall::worker::kube
