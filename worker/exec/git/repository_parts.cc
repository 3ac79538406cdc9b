// SPDX-License-Identifier: MIT
#include "worker/exec/git/repository_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "worker/exec/git/repository_layout.h"

namespace filecall::worker::git {
namespace {

using file::FileRules;
using file::OpenPlace;

/// Names in a repository and in a worktree that are looked at.
constexpr std::size_t kNamesMax = 4'000'000;
/// libgit2 follows as many alternates of alternates.
constexpr int kAlternatesDepth = 5;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct PartName {
  std::string path;  ///< Below the directory where the look began.
  unsigned char type = DT_UNKNOWN;
};

unsigned char type_of(int directory, const struct dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat info {};
  if (::fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return IFTODT(info.st_mode);
}

/// Calls `visit` with every name below a directory; it says of a directory whether to enter it.
template <typename Visit>
Result<void> visit_names(const OpenPlace& top, const Visit& visit) {
  std::vector<std::string> ahead = {""};
  std::size_t seen = 0;
  while (!ahead.empty()) {
    const std::string directory = std::move(ahead.back());
    ahead.pop_back();
    UniqueFd fd = file::open_without_links(top.fd.get(), directory.empty() ? "." : directory,
                                           O_RDONLY | O_DIRECTORY);
    // What is unreadable, or gone by now, libgit2 does not read either.
    if (!fd.is_open()) continue;
    const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(fd.get()));
    if (!stream) return fail_errno(errno, top.whole());
    (void)fd.release();
    while (const struct dirent* entry = ::readdir(stream.get())) {
      const std::string_view name(entry->d_name);
      if (name == "." || name == "..") continue;
      if (++seen > kNamesMax) {
        return fail(ErrorCode::kFailedPrecondition,
                    fmt::format("{}: the repository has more than {} names", kRepositoryPointer,
                                kNamesMax));
      }
      PartName part{directory.empty() ? std::string(name) : fmt::format("{}/{}", directory, name),
                    type_of(::dirfd(stream.get()), *entry)};
      TRY_ASSIGN(const bool enters, visit(part));
      if (enters && part.type == DT_DIR) ahead.push_back(std::move(part.path));
    }
  }
  return {};
}

/// Parts that belong to git alone: nothing here reads or writes them.
bool is_passed_over(std::string_view path) {
  return path == "hooks" || path == "modules" || path == "lfs" || path == "info/sparse-checkout";
}

std::string shown(std::string_view name) { return sanitize_utf8(name); }

/// The lines that libgit2 takes.
std::vector<std::string> alternates_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (!line.empty() && !line.starts_with('#')) lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

Result<void> check_repository_parts(const FileRules& rules, const OpenPlace& directory,
                                    std::string& link) {
  return visit_names(directory, [&](const PartName& part) -> Result<bool> {
    if (is_passed_over(part.path)) return false;
    if (part.type == DT_DIR || part.type == DT_REG) return true;
    const std::string name = fmt::format("the repository's '{}'", shown(part.path));
    if (part.type == DT_LNK) {
      TRY_ASSIGN(const OpenPlace place,
                 open_in_roots(rules, part.path, directory.whole(), O_PATH, name));
      if (S_ISREG(place.info.st_mode) || S_ISDIR(place.info.st_mode)) {
        link = part.path;
        return true;
      }
    }
    // A socket of git's own file system monitor is never opened.
    if (part.type == DT_SOCK) return true;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: {} is neither a file nor a directory", kRepositoryPointer, name));
  });
}

Result<void> check_alternates(const FileRules& rules, const OpenPlace& common) {
  std::vector<std::pair<std::string, int>> ahead = {{common.whole() + "/objects", 0}};
  while (!ahead.empty()) {
    const auto [objects, depth] = std::move(ahead.back());
    ahead.pop_back();
    auto list = open_in_roots(rules, "info/alternates", objects, O_RDONLY, "objects/info");
    if (!list && list.error().code == ErrorCode::kNotFound) continue;
    if (!list) return Unexpected(std::move(list).error());
    TRY_ASSIGN(OpenPlace info, open_in_roots(rules, "info", objects, O_PATH, "objects/info"));
    TRY_ASSIGN(const std::string text, read_small_file(rules, info, "alternates"));
    if (depth == kAlternatesDepth) continue;
    for (const std::string& line : alternates_of(text)) {
      constexpr std::string_view kWhat = "a directory of objects (objects/info/alternates)";
      // libgit2 would count it from the worker's directory.
      if (!line.starts_with('/') && !line.starts_with('.')) {
        return fail(
            ErrorCode::kPermissionDenied,
            fmt::format("{}: {} begins with neither '/' nor '.'", kRepositoryPointer, kWhat));
      }
      TRY_ASSIGN(const OpenPlace place,
                 open_in_roots(rules, line, objects, O_PATH | O_DIRECTORY, kWhat));
      std::string link;
      TRY(check_repository_parts(rules, place, link));
      ahead.emplace_back(place.whole(), depth + 1);
    }
  }
  return {};
}

Result<void> check_worktree_parts(const FileRules& rules, const OpenPlace& worktree) {
  (void)rules;
  return visit_names(worktree, [&](const PartName& part) -> Result<bool> {
    const std::size_t slash = part.path.rfind('/');
    const std::string_view name =
        std::string_view(part.path).substr(slash == part.path.npos ? 0 : slash + 1);
    if (name == ".git") return false;
    const bool is_rules = name == ".gitignore" || name == ".gitattributes";
    if (!is_rules || part.type == DT_REG || part.type == DT_DIR) return true;
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' is no regular file; git does not follow it either",
                            kRepositoryPointer, shown(part.path)));
  });
}

}  // namespace filecall::worker::git
