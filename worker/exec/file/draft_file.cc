// SPDX-License-Identifier: MIT
#include "worker/exec/file/draft_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "os/io.h"
#include "os/process.h"
#include "os/regular_file.h"

namespace filecall::worker::file {
namespace {

constexpr std::string_view kMark = ".filecall-new-";
constexpr std::string_view kAsideMark = ".filecall-apply-";
constexpr std::size_t kRandomDigits = 16;
/// Of a file's name, in the name of what will replace it: a name has at most 255 bytes.
constexpr std::size_t kNameBytes = 200;
constexpr int kNameTries = 16;
/// Directories that are known to have nothing left in them.
constexpr std::size_t kDirectoriesKept = 4096;

std::string marked_name(std::string_view name, std::string_view mark) {
  std::string_view part = name.substr(0, kNameBytes);
  if (part.size() < name.size()) part.remove_suffix(unfinished_utf8_end(part));
  return fmt::format(".{}{}{:016x}", part, mark, random_seed());
}

std::string name_for_draft(std::string_view name) { return marked_name(name, kMark); }

bool has_mark(std::string_view name, std::string_view mark) {
  if (!name.starts_with('.') || name.size() < 1 + mark.size() + kRandomDigits) return false;
  const std::string_view digits = name.substr(name.size() - kRandomDigits);
  name.remove_suffix(kRandomDigits);
  return name.ends_with(mark) &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string link_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Nobody who lives holds it, and the name still leads to it.
bool is_left(int directory, const std::string& name) {
  const auto file = open_regular_file_at(directory, name, O_RDONLY, "");
  if (!file || ::flock(file->fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
  struct stat now {};
  return ::fstatat(directory, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
         is_same_file(now, file->info);
}

/// True the first time.
bool is_first_look(int directory) {
  static std::mutex mutex;
  static std::set<std::pair<dev_t, ino_t>> seen;
  struct stat info {};
  if (::fstat(directory, &info) != 0) return false;
  const std::scoped_lock guard(mutex);
  if (seen.size() >= kDirectoriesKept) seen.clear();
  return seen.insert({info.st_dev, info.st_ino}).second;
}

}  // namespace

DraftFile::DraftFile(int directory, std::string name, std::string where)
    : directory_(directory), name_(std::move(name)), where_(std::move(where)) {}

Result<DraftFile> DraftFile::create(int directory, std::string name, std::string where,
                                    mode_t mode) {
  DraftFile draft(directory, std::move(name), std::move(where));
  draft.fd_ = UniqueFd(::openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, mode));
  // NFS and FUSE, and an overlay of an older kernel.
  const bool needs_name =
      !draft.fd_.is_open() && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT);
  for (int tries = 0; needs_name && !draft.fd_.is_open() && tries < kNameTries; ++tries) {
    const std::string temporary = name_for_draft(draft.name_);
    draft.fd_ = UniqueFd(::openat(directory, temporary.c_str(),
                                  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (draft.fd_.is_open()) draft.temporary_.text = temporary;
    if (!draft.fd_.is_open() && errno != EEXIST) break;
  }
  if (!draft.fd_.is_open()) return fail_errno(errno, draft.where_);
  // Where a file system has no such locks, what a killed worker leaves there stays.
  static_cast<void>(::flock(draft.fd(), LOCK_EX | LOCK_NB));
  return draft;
}

DraftFile::~DraftFile() {
  if (fd_.is_open() && !temporary_name().empty() && is_at(temporary_name())) {
    ::unlinkat(directory_, temporary_name().c_str(), 0);
  }
}

Result<void> DraftFile::write(std::string_view bytes) { return write_all(fd(), bytes, where_); }

Result<void> DraftFile::sync() {
  if (::fsync(fd()) != 0) return fail_errno(errno, where_);
  return {};
}

Result<void> DraftFile::publish() {
  const bool has_name = !temporary_name().empty();
  const std::string from = has_name ? temporary_name() : link_of(fd());
  if (::linkat(has_name ? directory_ : AT_FDCWD, from.c_str(), directory_, name_.c_str(),
               has_name ? 0 : AT_SYMLINK_FOLLOW) != 0) {
    return fail_errno(errno, where_);
  }
  return {};
}

Result<void> DraftFile::give_name() {
  if (!temporary_name().empty()) return {};
  for (int tries = 0;; ++tries) {
    std::string name = name_for_draft(name_);
    if (::linkat(AT_FDCWD, link_of(fd()).c_str(), directory_, name.c_str(), AT_SYMLINK_FOLLOW) ==
        0) {
      temporary_.text = std::move(name);
      return {};
    }
    if (errno != EEXIST || tries == kNameTries) return fail_errno(errno, where_);
  }
}

bool DraftFile::is_at(const std::string& name) const {
  struct stat own {
  }, there{};
  return ::fstat(fd(), &own) == 0 &&
         ::fstatat(directory_, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         is_same_file(own, there);
}

bool is_temporary_name(std::string_view name) { return has_mark(name, kMark); }

std::string make_aside_name(std::string_view name) { return marked_name(name, kAsideMark); }

bool is_own_name(std::string_view name) {
  return is_temporary_name(name) || has_mark(name, kAsideMark);
}

void remove_leftovers(int directory) {
  if (!is_first_look(directory)) return;
  UniqueFd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd.get()), &::closedir);
  if (stream == nullptr) return;
  fd.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (is_temporary_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  for (const std::string& name : names) {
    if (is_left(directory, name)) ::unlinkat(directory, name.c_str(), 0);
  }
}

}  // namespace filecall::worker::file
