// SPDX-License-Identifier: MIT
#include "os/control_group.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/take_until.h"
#include "os/io.h"
#include "os/unique_fd.h"

namespace filecall {
namespace {

constexpr std::size_t kProcBytesMax = 1024 * 1024;

Unexpected<Error> no_group(std::string why) {
  return fail(ErrorCode::kFailedPrecondition, std::move(why));
}

/// A mount point's blanks are written as octal numbers.
std::string without_octal(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t at) { return text[i + at] >= '0' && text[i + at] <= '7'; };
    if (text[i] == '\\' && i + 3 < text.size() && digit(1) && digit(2) && digit(3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool is_marked(int folder) {
  for (const char* name : {"user.delegate", "trusted.delegate"}) {
    char value = 0;
    if (::fgetxattr(folder, name, &value, 1) == 1 && value == '1') return true;
  }
  return false;
}

bool may_write(int folder, const char* member) {
  return ::faccessat(folder, member, W_OK, AT_EACCESS) == 0;
}

bool has(int folder, const char* member) {
  return ::faccessat(folder, member, F_OK, AT_EACCESS) == 0;
}

/// Makes a group and looks at it.
Result<void> try_group(int folder) {
  const std::string name = fmt::format("filecall-trial-{}", ::getpid());
  if (::mkdirat(folder, name.c_str(), 0755) != 0) {
    return no_group(fmt::format("no group can be made in it: {}", std::strerror(errno)));
  }
  const UniqueFd group(
      ::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const bool can_kill = group.is_open() && may_write(group.get(), "cgroup.kill");
  const bool can_move = group.is_open() && may_write(group.get(), "cgroup.procs");
  char type[16] = {};
  const UniqueFd file(group.is_open() ? ::openat(group.get(), "cgroup.type", O_RDONLY | O_CLOEXEC)
                                      : -1);
  const bool is_domain = file.is_open() && ::read(file.get(), type, sizeof type - 1) > 0 &&
                         std::string_view(type).starts_with("domain\n");
  ::unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  if (!can_kill) return no_group("the kernel has no cgroup.kill (Linux 5.14)");
  if (!can_move) return no_group("no process can be moved to a group that is made in it");
  if (!is_domain) return no_group("it takes threads only (cgroup.type)");
  return {};
}

}  // namespace

std::string control_group_of(std::string_view proc_cgroup) {
  constexpr std::string_view kUnified = "0::";
  while (!proc_cgroup.empty()) {
    const std::string_view line = take_until(&proc_cgroup, '\n');
    if (!line.starts_with(kUnified)) continue;
    const std::string_view group = line.substr(kUnified.size());
    const bool is_outside = group.starts_with("/../") || group == "/..";
    return group.starts_with('/') && !is_outside ? std::string(group) : "";
  }
  return "";
}

std::string control_group_folder(const std::string& group, std::string_view mountinfo) {
  // "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw"
  while (!group.empty() && !mountinfo.empty()) {
    std::string_view line = take_until(&mountinfo, '\n');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos || !line.substr(dash + 3).starts_with("cgroup2 ")) continue;
    for (int word = 0; word < 3; ++word) take_until(&line, ' ');
    const std::string root = without_octal(take_until(&line, ' '));
    const std::string place = without_octal(take_until(&line, ' '));
    if (!root.starts_with('/') || !place.starts_with('/')) continue;
    if (root == "/") return group == "/" ? place : place + group;
    const bool is_beneath = group.compare(0, root.size(), root) == 0 &&
                            (group.size() == root.size() || group[root.size()] == '/');
    if (is_beneath) return place + group.substr(root.size());
  }
  return "";
}

bool is_delegated(const GroupFacts& facts) {
  if (!facts.may_write) return false;
  return facts.is_marked || facts.is_namespace_root ||
         (!facts.is_superuser && !facts.may_write_parent);
}

Result<std::string> find_delegated_group() {
  TRY_ASSIGN(const std::string groups, read_file("/proc/self/cgroup", kProcBytesMax));
  TRY_ASSIGN(const std::string mounts, read_file("/proc/self/mountinfo", kProcBytesMax));
  const std::string group = control_group_of(groups);
  const std::string folder = control_group_folder(group, mounts);
  if (folder.empty()) return no_group("this process is in no control group of version 2");
  const UniqueFd open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct statfs info {};
  if (!open.is_open() || ::fstatfs(open.get(), &info) != 0 || info.f_type != CGROUP2_SUPER_MAGIC) {
    return no_group(fmt::format("{} is no control group of version 2", folder));
  }
  GroupFacts facts;
  facts.is_marked = is_marked(open.get());
  facts.is_namespace_root = group == "/" && has(open.get(), "cgroup.type");
  facts.is_superuser = ::geteuid() == 0;
  facts.may_write = may_write(open.get(), ".") && may_write(open.get(), "cgroup.procs");
  facts.may_write_parent = may_write(open.get(), "..");
  if (!is_delegated(facts)) {
    return no_group(fmt::format("{} was not given to this process (Delegate=)", folder));
  }
  if (const auto tried = try_group(open.get()); !tried) {
    return no_group(fmt::format("{}: {}", folder, tried.error().message));
  }
  return folder;
}

}  // namespace filecall
