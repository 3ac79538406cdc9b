// SPDX-License-Identifier: MIT
#include "worker/exec/kube/preview_uses.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "os/io.h"

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

}  // namespace

std::string PreviewUses::path_of(const PreviewStamp& stamp) const {
  return fmt::format("{}/previews-used/{}-{}", directory_, stamp.issued_s, stamp.id);
}

Result<void> PreviewUses::take(const PreviewStamp& stamp, std::int64_t now_s) {
  forget_expired(now_s);
  if (directory_.empty()) {
    if (!in_memory_.emplace(stamp.id, stamp.issued_s).second) return used_up();
    return {};
  }
  TRY(make_directories(directory_ + "/previews-used"));
  const std::string path = path_of(stamp);
  std::error_code problem;
  if (std::filesystem::exists(path, problem)) return used_up();
  const auto file = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (file) {
    ::fsync(file->get());
    return {};
  }
  // Another worker was faster.
  if (std::filesystem::exists(path, problem)) return used_up();
  return Unexpected<Error>(file.error());
}

void PreviewUses::give_back(const PreviewStamp& stamp) {
  in_memory_.erase(stamp.id);
  if (!directory_.empty()) ::unlink(path_of(stamp).c_str());
}

void PreviewUses::forget_expired(std::int64_t now_s) {
  std::erase_if(in_memory_,
                [&](const auto& entry) { return entry.second + validity_s_ + 60 < now_s; });
  if (directory_.empty()) return;
  std::error_code problem;
  std::filesystem::directory_iterator entry(directory_ + "/previews-used", problem);
  for (; !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    std::int64_t issued_s = 0;
    std::from_chars(name.data(), name.data() + name.size(), issued_s);
    if (issued_s + kKeptSeconds < now_s) ::unlink(entry->path().c_str());
  }
}

}  // namespace filecall::worker::kube
