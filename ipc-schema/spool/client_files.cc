// SPDX-License-Identifier: MIT
#include "spool/client_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/log.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/identify.h"
#include "spool/layout.h"
#include "spool/scan.h"

namespace filecall::spool {
namespace {

constexpr Duration kTemporaryLife = std::chrono::hours(24);

/// The first `size` bytes of a file, or all that it has. `what` says what is read, for errors.
template <typename What>
Result<std::string> read_sized(int fd, std::size_t size, const What& what) {
  if (size > limits::kResponseBytesMax) return read_all(fd, limits::kResponseBytesMax, what());
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(fd, bytes.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("{}: read", what()));
    if (got == 0) break;  // It was cut meanwhile.
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

Result<std::optional<ResponseFile>> read_regular(int directory_fd, std::string_view stem,
                                                 std::string_view where) {
  const std::string name = Layout::file_name(stem);
  auto opened = open_regular_file_at(directory_fd, name, O_RDONLY, where);
  if (!opened && opened.error().code == ErrorCode::kNotFound) return std::optional<ResponseFile>();
  TRY_ASSIGN(const RegularFile file, std::move(opened));
  const auto what = [&] { return fmt::format("{}/{}", where, name); };
  TRY_ASSIGN(std::string bytes,
             read_sized(file.fd.get(), static_cast<std::size_t>(file.info.st_size), what));
  return std::optional<ResponseFile>(ResponseFile{std::move(bytes), identify(file.info)});
}

std::optional<uid_t> owner_of_request(const Directories& directories, std::string_view stem) {
  struct stat info {};
  if (::fstatat(directories.requests.get(), Layout::file_name(stem).c_str(), &info,
                AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;  // Nobody's.
  }
  return info.st_uid;
}

std::optional<FileIdentity> identify_regular(const UniqueFd& directory, std::string_view stem) {
  struct stat info {};
  const bool is_regular = ::fstatat(directory.get(), Layout::file_name(stem).c_str(), &info,
                                    AT_SYMLINK_NOFOLLOW) == 0 &&
                          S_ISREG(info.st_mode);
  return is_regular ? std::optional(identify(info)) : std::nullopt;
}

bool is_there(const UniqueFd& directory, std::string_view stem) {
  return ::faccessat(directory.get(), Layout::file_name(stem).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) ==
         0;
}

}  // namespace

Result<Publication> drop_request_unsynced(const Directories& directories, std::string_view stem,
                                          std::string_view bytes, Durability durability) {
  const int requests = directories.requests.get();
  const int staging = directories.drop_is_shared ? directories.client_tmp.get() : requests;
  const std::string temporary = next_temporary_name();
  return publish_new({staging, temporary, requests, Layout::file_name(stem), bytes, durability,
                      false, directories.file_mode});
}

Result<Publication> drop_request(const Directories& directories, std::string_view stem,
                                 std::string_view bytes, Durability durability) {
  TRY_ASSIGN(const Publication published,
             drop_request_unsynced(directories, stem, bytes, durability));
  if (durability == Durability::kFull) TRY(sync_directory(directories.requests.get()));
  return published;
}

Result<void> replace_request(const Directories& directories, std::string_view stem,
                             std::string_view bytes, Durability durability) {
  const int requests = directories.requests.get();
  const int staging = directories.drop_is_shared ? directories.client_tmp.get() : requests;
  const std::string temporary = next_temporary_name();
  const std::string name = Layout::file_name(stem);
  const auto written =
      write_file_at(staging, temporary, bytes, {}, durability, directories.file_mode);
  const bool is_renamed =
      written && ::renameat(staging, temporary.c_str(), requests, name.c_str()) == 0;
  if (!is_renamed) {
    const int error = errno;
    ::unlinkat(staging, temporary.c_str(), 0);
    return written ? fail_errno(error, "requests/" + name) : Unexpected(written.error());
  }
  return durability == Durability::kFull ? sync_directory(requests) : Result<void>();
}

Result<void> remove_request(const Directories& directories, std::string_view stem) {
  const std::string name = Layout::file_name(stem);
  if (::unlinkat(directories.requests.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return fail_errno(errno, "requests/" + name);
  }
  return {};
}

Result<std::optional<ResponseFile>> read_response_file(const Directories& directories,
                                                       std::string_view stem) {
  return read_regular(directories.responses.get(), stem, "responses");
}

Result<std::optional<ResponseFile>> read_request_file(const Directories& directories,
                                                      std::string_view stem) {
  return read_regular(directories.requests.get(), stem, "requests");
}

Result<std::optional<FileIdentity>> identify_response(const Directories& directories,
                                                      std::string_view stem) {
  struct stat info {};
  if (::fstatat(directories.responses.get(), Layout::file_name(stem).c_str(), &info,
                AT_SYMLINK_NOFOLLOW) == 0) {
    return std::optional(identify(info));
  }
  if (errno == ENOENT) return std::optional<FileIdentity>();
  return fail_errno(errno, fmt::format("responses/{}", Layout::file_name(stem)));
}

std::optional<FileIdentity> identify_request(const Directories& directories,
                                             std::string_view stem) {
  return identify_regular(directories.requests, stem);
}

std::optional<FileIdentity> identify_failed(const Directories& directories, std::string_view stem) {
  return identify_regular(directories.failed, stem);
}

Result<Deletion> delete_response(const Directories& directories, std::string_view stem,
                                 const FileIdentity& identity) {
  TRY_ASSIGN(const auto now, identify_response(directories, stem));
  if (!now) return Deletion::kAbsent;
  if (*now != identity) return Deletion::kOther;
  const std::string name = Layout::file_name(stem);
  if (::unlinkat(directories.responses.get(), name.c_str(), 0) == 0) return Deletion::kDeleted;
  if (errno == ENOENT) return Deletion::kAbsent;
  return fail_errno(errno, fmt::format("responses/{}: remove", name));
}

Result<void> copy_to_failed(const Directories& directories, std::string_view stem,
                            std::string_view bytes, Durability durability) {
  return replace_file(directories.failed.get(), Layout::file_name(stem), bytes, durability);
}

void sweep_old_temporaries(const Directories& directories, WallTime now) {
  for (const UniqueFd* directory : {&directories.client_tmp, &directories.failed}) {
    if (!directory->is_open()) continue;
    const auto swept = read_directory(directory->get(), [&](const DirectoryEntry& entry) {
      const std::string name(entry.name);
      struct stat info {};
      if (!Layout::is_temporary(name)) return;
      if (::fstatat(directory->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
      const WallTime written = WallTime(seconds(info.st_mtim.tv_sec));
      if (now - written > kTemporaryLife) ::unlinkat(directory->get(), name.c_str(), 0);
    });
    if (!swept) log_warn("temporary files are not swept: {}", swept.error().message);
  }
}

bool may_drive(const Directories& directories, std::string_view stem) {
  if (!directories.user) return true;
  const auto owner = owner_of_request(directories, stem);
  return !owner || *owner == *directories.user;
}

bool may_change(const Directories& directories, std::string_view stem) {
  return !directories.is_members || may_drive(directories, stem);
}

bool has_request(const Directories& directories, std::string_view stem) {
  return is_there(directories.requests, stem);
}
bool has_response(const Directories& directories, std::string_view stem) {
  return is_there(directories.responses, stem);
}
bool has_failed(const Directories& directories, std::string_view stem) {
  return identify_failed(directories, stem).has_value();
}

}  // namespace filecall::spool
