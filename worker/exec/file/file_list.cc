// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "base/time.h"
#include "worker/exec/file/answer_room.h"
#include "worker/exec/file/file_functions.h"
#include "worker/exec/file/file_params.h"
#include "worker/exec/file/file_walk.h"

namespace filecall::worker::file {
namespace {

std::string_view type_name(unsigned char type) {
  switch (type) {
    case DT_REG:
      return "file";
    case DT_DIR:
      return "directory";
    case DT_LNK:
      return "link";
    default:
      return "other";
  }
}

Json entry_json(const FileRules& rules, const OpenPlace& directory, const WalkEntry& entry) {
  const std::string path = directory.path == "." ? entry.path : directory.path + "/" + entry.path;
  Json out = {{"path", name_of(rules, directory.root, path)}, {"type", type_name(entry.type)}};
  const UniqueFd fd = open_without_links(directory.fd.get(), entry.path, O_PATH | O_NOFOLLOW);
  struct stat info {};
  if (fd.is_open() && ::fstat(fd.get(), &info) == 0) {
    if (S_ISREG(info.st_mode)) out["bytes"] = info.st_size;
    // Beyond what nanoseconds in 64 bits can say nobody knows when it was.
    constexpr std::int64_t kSecondsMax = std::numeric_limits<std::int64_t>::max() / 1'000'000'000;
    if (info.st_mtim.tv_sec > -kSecondsMax && info.st_mtim.tv_sec < kSecondsMax) {
      out["modified"] = format_rfc3339(WallTime(seconds(info.st_mtim.tv_sec)));
    }
  }
  return out;
}

/// A file is read, and not listed.
Result<OpenPlace> open_directory_of(const FileRules& rules, const std::string& path) {
  TRY_ASSIGN(const FilePlace place, choose_place(rules.config, path, kPathPointer));
  auto directory = open_place(rules, place, O_RDONLY | O_DIRECTORY, kPathPointer);
  if (directory || directory.error().code != ErrorCode::kFailedPrecondition) return directory;
  const auto file = open_place(rules, place, O_PATH, kPathPointer);
  if (!file || !S_ISREG(file->info.st_mode)) return directory;
  return fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}: '{}' is a file, not a directory; file.read reads it", kPathPointer, path));
}

}  // namespace

Outcome file_list(const FileJob& job) {
  TRY_ASSIGN(const auto glob, glob_param(job.params));
  auto directory = open_directory_of(job.rules, text_param(job.params, "path", "."));
  if (!directory) return refused(std::move(directory).error());
  WalkOptions options;
  options.uses_gitignore = uses_gitignore(job.params);
  options.is_recursive = glob.has_value();
  options.glob = glob ? &*glob : nullptr;
  const WalkResult found = walk(job.rules, *directory, options, job.is_cancelled);
  const std::size_t max = count_param(job.params, "max", job.rules.config.results);
  AnswerRoom room(job.rules.config.read_bytes);
  Json entries = Json::array();
  for (const WalkEntry& entry : found.entries) {
    if (entries.size() == max || job.is_cancelled) break;
    Json shown = entry_json(job.rules, *directory, entry);
    if (!room.take(shown["path"].get_ref<const std::string&>().size() + 1)) break;
    entries.push_back(std::move(shown));
  }
  Json out = {{"path", name_of(job.rules, directory->root, directory->path)}};
  out["left_out"] = found.entries.size() - entries.size();
  out["unreadable_directories"] = found.unreadable;
  out["names_not_utf8"] = found.foreign_names;
  out["complete"] = found.entries.size() == entries.size() && found.is_complete();
  if (const std::string problem = found.problem(); !problem.empty()) out["problem"] = problem;
  if (room.is_full()) {
    out["cut"] = fmt::format(
        "the answer has no room for more names (file.limits.read_bytes is {}); list a directory "
        "below, or with a narrower glob",
        job.rules.config.read_bytes);
  }
  out["entries"] = std::move(entries);
  return out;
}

}  // namespace filecall::worker::file
