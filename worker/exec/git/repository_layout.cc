// SPDX-License-Identifier: MIT
#include "worker/exec/git/repository_layout.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "os/io.h"
#include "worker/exec/git/git_library.h"
#include "worker/exec/git/repository_parts.h"
#include "worker/exec/git/settings_reader.h"

namespace filecall::worker::git {
namespace {

using file::FilePlace;
using file::FileRules;
using file::OpenPlace;

constexpr std::size_t kSmallBytes = 64 * 1024;
constexpr std::size_t kConfigBytes = 1024 * 1024;
constexpr std::string_view kGitdir = "gitdir:";

/// Without "." and "..", which are taken out by the text alone. What this makes of a path through a
/// link is not what libgit2 makes of it; open_repository() compares the two.
std::string plain_path(std::string_view path, std::string_view from) {
  std::filesystem::path whole(path);
  if (whole.is_relative()) whole = std::filesystem::path(from) / whole;
  std::string text = whole.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// The root that an absolute path lies beneath, under either of its names.
std::optional<FilePlace> place_of(const FileRules& rules, std::string_view path) {
  for (const auto* roots : {&rules.config.roots, &rules.config.real_roots}) {
    for (std::size_t i = 0; i < roots->size(); ++i) {
      const std::string& root = (*roots)[i];
      if (!file::is_beneath(path, root)) continue;
      std::string_view below = path.substr(root == "/" ? 0 : root.size());
      while (below.starts_with('/')) below.remove_prefix(1);
      return FilePlace{i, below.empty() ? "." : std::string(below)};
    }
  }
  return std::nullopt;
}

/// A name in an open directory; nullopt when it is not there, or hidden.
Result<std::optional<OpenPlace>> open_part(const FileRules& rules, const OpenPlace& directory,
                                           std::string_view name, int flags) {
  const std::string below =
      directory.path == "." ? std::string(name) : fmt::format("{}/{}", directory.path, name);
  auto place = file::open_place(rules, {directory.root, below}, flags, kRepositoryPointer);
  if (place) return std::optional<OpenPlace>(*std::move(place));
  if (place.error().code == ErrorCode::kNotFound) return std::optional<OpenPlace>();
  return Unexpected(std::move(place).error());
}

Unexpected<Error> no_repository(std::string_view path) {
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}: '{}' is no git repository: it has no .git; name the directory that "
                          "has it",
                          kRepositoryPointer, path));
}

bool has_part(const FileRules& rules, const OpenPlace& directory, std::string_view name) {
  const auto part = open_part(rules, directory, name, O_PATH);
  return part && part->has_value();
}

/// Where `.git` leads: itself, or what a gitfile names.
Result<OpenPlace> find_directory(const FileRules& rules, const OpenPlace& top,
                                 std::string_view path) {
  TRY_ASSIGN(auto found, open_part(rules, top, ".git", O_PATH));
  if (!found) {
    for (const std::string_view part : {"HEAD", "objects", "refs"}) {
      if (!has_part(rules, top, part)) return no_repository(path);
    }
    return file::open_place(rules, {top.root, top.path}, O_PATH | O_DIRECTORY, kRepositoryPointer);
  }
  if (S_ISDIR(found->info.st_mode)) return *std::move(found);
  TRY_ASSIGN(const std::string text, read_small_file(rules, top, ".git"));
  if (!text.starts_with(kGitdir)) return no_repository(path);
  std::string_view target = std::string_view(text).substr(kGitdir.size());
  while (target.starts_with(' ')) target.remove_prefix(1);
  return open_in_roots(rules, target, top.whole(), O_PATH | O_DIRECTORY, "the directory of .git");
}

Result<Settings> read_settings(const FileRules& rules, const OpenPlace& common) {
  TRY_ASSIGN(const auto found, open_part(rules, common, "config", O_RDONLY));
  if (!found) return Settings{};
  if (!S_ISREG(found->info.st_mode)) return Settings{};
  TRY_ASSIGN(const std::string text,
             read_all(found->fd.get(), kConfigBytes, "the repository's config"));
  if (auto plain = check_no_includes(text); !plain) {
    return fail(plain.error().code,
                fmt::format("{}: {}", kRepositoryPointer, plain.error().message));
  }
  TRY_ASSIGN(const Settings settings, parse_settings(text));
  if (auto known = check_repository_form(settings); !known) {
    return fail(known.error().code,
                fmt::format("{}: {}", kRepositoryPointer, known.error().message));
  }
  return kept_settings(settings);
}

/// The directory of the files that are worked on; not open when there is none.
Result<OpenPlace> find_worktree(const FileRules& rules, const RepositoryLayout& layout) {
  const OpenPlace& top = layout.top;
  if (!layout.is_linked && is_true(layout.settings, "core.bare")) return OpenPlace{};
  const auto named = layout.settings.find("core.worktree");
  if (!layout.is_linked && named != layout.settings.end()) {
    return open_in_roots(rules, named->second, layout.directory.whole(), O_PATH | O_DIRECTORY,
                         "its files (core.worktree)");
  }
  if (top.whole() == layout.directory.whole()) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: '{}' is the repository's own directory; name the directory of "
                            "its files",
                            kRepositoryPointer, top.path));
  }
  return file::open_place(rules, {top.root, top.path}, O_PATH | O_DIRECTORY, kRepositoryPointer);
}

}  // namespace

Result<OpenPlace> open_in_roots(const FileRules& rules, std::string_view path,
                                std::string_view from, int flags, std::string_view what) {
  const std::string whole = plain_path(path, from);
  const auto place = place_of(rules, whole);
  if (!place) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: {} lies beneath none of file.roots", kRepositoryPointer, what));
  }
  auto opened = file::open_place(rules, *place, flags, kRepositoryPointer);
  if (opened || opened.error().code != ErrorCode::kPermissionDenied) return opened;
  return fail(
      ErrorCode::kPermissionDenied,
      fmt::format("{}: {} leads out of file.roots, or may not be read", kRepositoryPointer, what));
}

Result<std::string> read_small_file(const FileRules& rules, const OpenPlace& directory,
                                    std::string_view name) {
  const std::string what = fmt::format("{}: '{}'", kRepositoryPointer, name);
  TRY_ASSIGN(const OpenPlace place, open_in_roots(rules, name, directory.whole(), O_RDONLY, what));
  if (!S_ISREG(place.info.st_mode) || place.info.st_size > static_cast<off_t>(kSmallBytes)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{} is no file of git's: it is no regular file, or too large", what));
  }
  TRY_ASSIGN(std::string text, read_all(place.fd.get(), kSmallBytes, what));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

Result<RepositoryLayout> find_repository(const FileRules& rules, std::string_view path) {
  RepositoryLayout layout;
  TRY_ASSIGN(const FilePlace place, file::choose_place(rules.config, path, kRepositoryPointer));
  TRY_ASSIGN(layout.top, file::open_place(rules, place, O_PATH | O_DIRECTORY, kRepositoryPointer));
  TRY_ASSIGN(layout.directory, find_directory(rules, layout.top, path));
  layout.is_linked = has_part(rules, layout.directory, "commondir");
  if (layout.is_linked) {
    TRY_ASSIGN(const std::string named, read_small_file(rules, layout.directory, "commondir"));
    TRY_ASSIGN(layout.common, open_in_roots(rules, named, layout.directory.whole(),
                                            O_PATH | O_DIRECTORY, "its main repository"));
  } else {
    TRY_ASSIGN(layout.common,
               file::open_place(rules, {layout.directory.root, layout.directory.path},
                                O_PATH | O_DIRECTORY, kRepositoryPointer));
  }
  TRY(check_repository_parts(rules, layout.common, layout.link));
  if (!file::is_beneath(layout.directory.whole(), layout.common.whole())) {
    TRY(check_repository_parts(rules, layout.directory, layout.link));
  }
  TRY(check_alternates(rules, layout.common));
  TRY_ASSIGN(layout.settings, read_settings(rules, layout.common));
  TRY_ASSIGN(layout.worktree, find_worktree(rules, layout));
  return layout;
}

}  // namespace filecall::worker::git
