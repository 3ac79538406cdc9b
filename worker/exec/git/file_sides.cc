// SPDX-License-Identifier: MIT
#include "worker/exec/git/file_sides.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <git2/sys/filter.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <utility>

#include "os/io.h"
#include "worker/exec/git/git_library.h"

namespace filecall::worker::git {
namespace {

constexpr std::uint16_t kFileMode = 0100644;
constexpr std::uint16_t kProgramMode = 0100755;
constexpr std::uint16_t kLinkMode = 0120000;

Result<std::string> as_git_keeps_it(const OpenRepository& repository, const std::string& path,
                                    const std::string& bytes) {
  FilterHandle filters;
  // Only those of libgit2: line ends and ident. None of them starts a program.
  int status = ::git_filter_list_load(Out(filters), repository.get(), nullptr, path.c_str(),
                                      GIT_FILTER_TO_ODB, GIT_FILTER_ALLOW_UNSAFE);
  if (status < 0) return git_failed(status, "the line ends of a file");
  if (!filters) return bytes;
  GitText out;
  status = ::git_filter_list_apply_to_buffer(out.out(), filters.get(), bytes.data(), bytes.size());
  if (status < 0) return git_failed(status, "the line ends of a file");
  return std::string(out.view());
}

Result<WorktreeFile> read_link(int link) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(link, "", target, sizeof target);
  if (size < 0) return fail_errno(errno, "a link in the worktree");
  WorktreeFile file;
  file.mode = kLinkMode;
  file.content.bytes.assign(target, static_cast<std::size_t>(size));
  file.content.size = file.content.bytes.size();
  return file;
}

bool follows_modes(const OpenRepository& repository) {
  const Settings& settings = repository.layout.settings;
  return !settings.contains("core.filemode") || is_true(settings, "core.filemode");
}

std::string driver_by(const OpenRepository& repository, const std::string& path,
                      std::uint32_t flags, const git_oid* commit) {
  git_attr_options options{};
  options.version = GIT_ATTR_OPTIONS_VERSION;
  options.flags = flags;
  if (commit != nullptr) options.attr_commit_id = *commit;
  const char* value = nullptr;
  const int status = ::git_attr_get_ext(&value, repository.get(), &options, path.c_str(), "filter");
  if (status < 0 || ::git_attr_value(value) != GIT_ATTR_VALUE_STRING) return "";
  return value;
}

}  // namespace

Result<FileBytes> read_object(const OpenRepository& repository, const git_oid& id) {
  OdbHandle objects;
  int status = ::git_repository_odb(Out(objects), repository.get());
  if (status < 0) return git_failed(status, "the repository's objects");
  FileBytes out;
  git_object_t type = GIT_OBJECT_INVALID;
  status = ::git_odb_read_header(&out.size, &type, objects.get(), &id);
  if (status < 0) return git_failed(status, fmt::format("object {}", hex(id)));
  if (out.size > repository.rules->config.file_bytes) {
    out.is_too_large = true;
    return out;
  }
  BlobHandle blob;
  status = ::git_blob_lookup(Out(blob), repository.get(), &id);
  if (status < 0) return git_failed(status, fmt::format("object {}", hex(id)));
  out.bytes.assign(static_cast<const char*>(::git_blob_rawcontent(blob.get())),
                   static_cast<std::size_t>(::git_blob_rawsize(blob.get())));
  return out;
}

Result<std::optional<WorktreeFile>> read_worktree_file(const OpenRepository& repository,
                                                       const std::string& path) {
  std::optional<WorktreeFile> none;
  const int top = repository.layout.worktree.fd.get();
  const UniqueFd place = file::open_without_links(top, path, O_PATH | O_NOFOLLOW);
  struct stat info {};
  if (!place.is_open() || ::fstat(place.get(), &info) != 0) return none;
  if (S_ISLNK(info.st_mode)) {
    TRY_ASSIGN(WorktreeFile link, read_link(place.get()));
    link.info = info;
    return std::optional<WorktreeFile>(std::move(link));
  }
  if (!S_ISREG(info.st_mode)) return none;
  if (repository.rules->is_own_file(info.st_dev, info.st_ino)) return none;
  WorktreeFile out;
  out.info = info;
  out.has_known_mode = follows_modes(repository);
  out.mode = out.has_known_mode && (info.st_mode & S_IXUSR) != 0 ? kProgramMode : kFileMode;
  out.content.size = static_cast<std::size_t>(info.st_size);
  const std::size_t most = repository.rules->config.file_bytes;
  out.content.is_too_large = out.content.size > most;
  if (out.content.is_too_large) return std::optional<WorktreeFile>(std::move(out));
  const UniqueFd fd = file::open_without_links(top, path, O_RDONLY | O_NOFOLLOW);
  struct stat opened {};
  if (!fd.is_open() || ::fstat(fd.get(), &opened) != 0) return none;
  if (opened.st_ino != info.st_ino || opened.st_dev != info.st_dev) return none;
  out.info = opened;
  TRY_ASSIGN(const std::string bytes, read_all(fd.get(), most, fmt::format("'{}'", path)));
  TRY_ASSIGN(out.content.bytes, as_git_keeps_it(repository, path, bytes));
  return std::optional<WorktreeFile>(std::move(out));
}

std::string filter_driver(const OpenRepository& repository, const std::string& path) {
  return driver_by(repository, path, GIT_ATTR_CHECK_FILE_THEN_INDEX, nullptr);
}

std::string filter_driver_at(const OpenRepository& repository, const std::string& path,
                             const git_commit* commit) {
  return driver_by(repository, path, GIT_ATTR_CHECK_INDEX_ONLY | GIT_ATTR_CHECK_INCLUDE_COMMIT,
                   ::git_commit_id(commit));
}

}  // namespace filecall::worker::git
