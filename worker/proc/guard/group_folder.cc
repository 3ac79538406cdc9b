// SPDX-License-Identifier: MIT
#include "worker/proc/guard/group_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace filecall::worker::guard {
namespace {

/// A tool may have made groups in its own; deeper ones than so many stay.
constexpr int kDepthMax = 16;

int open_group(int parent, const char* name) {
  return ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Folders only: the files of a group are the kernel's, and go with it.
void remove_groups_in(int group, int depth) {
  if (depth == 0) return;
  const int again = open_group(group, ".");
  DIR* const folder = again < 0 ? nullptr : ::fdopendir(again);
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    const char* const name = entry->d_name;
    if (entry->d_type != DT_DIR || ::strcmp(name, ".") == 0 || ::strcmp(name, "..") == 0) continue;
    const int child = open_group(group, name);
    if (child < 0) continue;
    remove_groups_in(child, depth - 1);
    ::close(child);
    ::unlinkat(group, name, AT_REMOVEDIR);
  }
  ::closedir(folder);
}

}  // namespace

int write_group_file(int group, const char* name, const std::string& text) {
  const int fd = ::openat(group, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = written == static_cast<ssize_t>(text.size()) ? 0 : errno;
  ::close(fd);
  return error;
}

int set_group_limits(int group, const Limits& limits) {
  const std::pair<const char*, std::int64_t> all[] = {{"memory.max", limits.memory_bytes},
                                                      {"pids.max", limits.processes}};
  for (const auto& [name, value] : all) {
    if (value < 0) continue;
    const int error = write_group_file(group, name, std::to_string(value));
    // Without its controller the limit of single processes is all that there is.
    if (error != 0 && error != ENOENT) return error;
  }
  return 0;
}

bool is_group_empty(int group) {
  const int fd = ::openat(group, "cgroup.events", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == ENODEV;
  char text[256] = {};
  const ssize_t size = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  return size >= 0 && ::strstr(text, "populated 1") == nullptr;
}

bool end_group(int parent, const char* name) {
  if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  const int group = open_group(parent, name);
  if (group < 0) return errno == ENOENT;
  if (!is_group_empty(group)) write_group_file(group, "cgroup.kill", "1");
  if (is_group_empty(group)) remove_groups_in(group, kDepthMax);
  ::close(group);
  return ::unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

}  // namespace filecall::worker::guard
