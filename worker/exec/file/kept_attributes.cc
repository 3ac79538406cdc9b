// SPDX-License-Identifier: MIT
#include "worker/exec/file/kept_attributes.h"

#include <fmt/core.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <string>
#include <utility>

#include "base/take_until.h"

namespace filecall::worker::file {
namespace {

constexpr std::string_view kAccessList = "system.posix_acl_access";
/// What a change of content takes away (capabilities), or the kernel makes of the content.
constexpr std::array<std::string_view, 3> kOfContent = {"security.capability", "security.ima",
                                                        "security.evm"};

/// flistxattr(2) and fgetxattr(2): asks for the size, then for as much.
template <typename Call>
Result<std::string> all_bytes(const Call& call, std::string_view where) {
  std::string bytes;
  for (;;) {
    const ssize_t size = call(nullptr, 0);
    if (size < 0 && errno == EOPNOTSUPP) return std::string();
    if (size < 0) return fail_errno(errno, where);
    bytes.resize(static_cast<std::size_t>(size));
    const ssize_t got = size == 0 ? 0 : call(bytes.data(), bytes.size());
    if (got >= 0) {
      bytes.resize(static_cast<std::size_t>(got));
      return bytes;
    }
    if (errno != ERANGE) return fail_errno(errno, where);
  }
}

Result<std::set<std::string>> names_of_attributes(int fd, std::string_view where) {
  TRY_ASSIGN(
      const std::string list,
      all_bytes([fd](char* out, std::size_t size) { return ::flistxattr(fd, out, size); }, where));
  std::set<std::string> names;
  for (std::string_view rest = list; !rest.empty();) {
    const std::string_view name = take_until(&rest, '\0');
    if (std::ranges::find(kOfContent, name) == kOfContent.end()) names.emplace(name);
  }
  return names;
}

Result<std::string> attribute(int fd, const std::string& name, std::string_view where) {
  return all_bytes(
      [&](char* out, std::size_t size) { return ::fgetxattr(fd, name.c_str(), out, size); },
      fmt::format("{}: {}", where, name));
}

/// Nothing was changed: asking again would not help, but for room on the disk.
Unexpected<Error> cannot_keep(std::string_view where, std::string_view what, int error) {
  Error refusal = errno_error(error, fmt::format("{}: the worker cannot keep its {}", where, what));
  if (refusal.code != ErrorCode::kResourceExhausted) refusal.code = ErrorCode::kPermissionDenied;
  return Unexpected(std::move(refusal));
}

/// Whether owner and group are the old ones; where they are not, `mode` loses what others would
/// get.
bool give_away(int fd, const struct stat& info, mode_t& mode) {
  struct stat now {};
  if (::fstat(fd, &now) == 0 && now.st_uid == info.st_uid && now.st_gid == info.st_gid) return true;
  if (::fchown(fd, info.st_uid, info.st_gid) == 0) return true;
  if (now.st_gid == info.st_gid || ::fchown(fd, static_cast<uid_t>(-1), info.st_gid) == 0) {
    return false;
  }
  // The members of another group may do what everybody may.
  mode &= ~static_cast<mode_t>(S_IRWXG) | ((mode & S_IRWXO) << 3U);
  return false;
}

Result<void> set_attribute(int after, const std::string& name, const std::string& value,
                           std::string_view where) {
  if (::fsetxattr(after, name.c_str(), value.data(), value.size(), 0) == 0) return {};
  return cannot_keep(where, name == kAccessList ? "access control list" : "attribute " + name,
                     errno);
}

}  // namespace

Result<void> keep_attributes(int before, const struct stat& info, int after,
                             std::string_view where) {
  mode_t mode = info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX);
  const bool is_given = give_away(after, info, mode);
  TRY_ASSIGN(const auto names, names_of_attributes(before, where));
  TRY_ASSIGN(const auto inherited, names_of_attributes(after, where));
  if (!is_given && names.contains(std::string(kAccessList))) {
    return cannot_keep(where, "owner or group, and it has an access control list", EPERM);
  }
  // Of a directory's default list a new file has one that the old one had not.
  const std::string access_list(kAccessList);
  if (inherited.contains(access_list) && !names.contains(access_list) &&
      ::fremovexattr(after, access_list.c_str()) != 0) {
    return cannot_keep(where, "access (it has no access control list)", errno);
  }
  if (::fchmod(after, mode) != 0) return fail_errno(errno, where);
  for (const std::string& name : names) {
    TRY_ASSIGN(const std::string value, attribute(before, name, where));
    if (inherited.contains(name)) {
      TRY_ASSIGN(const std::string present, attribute(after, name, where));
      if (present == value) continue;
    }
    TRY(set_attribute(after, name, value, where));
  }
  return {};
}

}  // namespace filecall::worker::file
