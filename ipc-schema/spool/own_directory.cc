// SPDX-License-Identifier: MIT
#include "spool/own_directory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/accounts.h"
#include "os/io.h"

namespace filecall::spool {

Result<UniqueFd> open_own_directory(const std::string& path, bool creates) {
  if (creates && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail_errno(errno, path);
  }
  auto fd = open_file(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  struct stat info {};
  if (!fd) {
    if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return Unexpected(fd.error());
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is {}; put a directory there", path,
                            S_ISLNK(info.st_mode) ? "a symbolic link, which is not followed"
                                                  : "no directory"));
  }
  if (::fstat(fd->get(), &info) != 0) return fail_errno(errno, path);
  if (info.st_uid != ::geteuid()) {
    return fail(
        ErrorCode::kPermissionDenied,
        fmt::format("{}: belongs to {}, who could forge what it holds; choose another --root", path,
                    user_label(info.st_uid)));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fail(ErrorCode::kPermissionDenied,
                fmt::format("{}: others may write to it (mode {:04o}); run 'chmod 0700 {}'", path,
                            info.st_mode & 07777u, path));
  }
  return fd;
}

}  // namespace filecall::spool
