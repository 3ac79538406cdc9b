// SPDX-License-Identifier: MIT
#include "worker/proc/tool_groups.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/log.h"
#include "base/take_until.h"
#include "os/control_group.h"
#include "os/unique_fd.h"
#include "worker/proc/guard/group_folder.h"
#include "worker/proc/guard/processes.h"

namespace filecall::worker {
namespace {

constexpr std::string_view kPrefix = "filecall-";
constexpr const char* kOwnGroup = "filecall-worker";
constexpr const char* kControllers = "+memory +pids";
/// A second for all groups together.
constexpr int kPassMs = 5;
constexpr int kPassesMax = 200;

template <typename Number>
bool read_number(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size() && *number > 0;
}

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::uint64_t own_process_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

/// Tools that have ended their guard and their worker.
void end_abandoned_groups(int folder, std::uint64_t process_namespace) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = again < 0 ? nullptr : ::fdopendir(again);
  if (entries == nullptr) return;
  int passes = kPassesMax;
  while (const dirent* entry = ::readdir(entries)) {
    const auto name = parse_tool_group(entry->d_name);
    if (!name || name->process_namespace != process_namespace) continue;
    if (!guard::has_ended(name->worker) || !guard::has_ended(name->guard)) continue;
    log_warn("control group {}: its worker {} is gone; what is left in it is ended", entry->d_name,
             name->worker);
    // What is killed needs a moment to end; what does not is left to the next worker.
    while (!guard::end_group(folder, entry->d_name) && passes-- > 0) {
      ::poll(nullptr, 0, kPassMs);
    }
  }
  ::closedir(entries);
}

/// A group with processes in it cannot give its controllers on.
int give_controllers(int folder) {
  const int error = guard::write_group_file(folder, "cgroup.subtree_control", kControllers);
  if (error != EBUSY) return error;
  if (::mkdirat(folder, kOwnGroup, 0755) != 0 && errno != EEXIST) return errno;
  const UniqueFd own(::openat(folder, kOwnGroup, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!own.is_open()) return errno;
  if (const int moved = guard::write_group_file(own.get(), "cgroup.procs", "0"); moved != 0) {
    return moved;
  }
  return guard::write_group_file(folder, "cgroup.subtree_control", kControllers);
}

}  // namespace

std::string tool_group_prefix(std::uint64_t process_namespace, pid_t worker) {
  return fmt::format("{}{}-{}-", kPrefix, process_namespace, worker);
}

std::optional<ToolGroupName> parse_tool_group(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  ToolGroupName found;
  if (!read_number(take_until(&name, '-'), &found.process_namespace) ||
      !read_number(take_until(&name, '-'), &found.worker) || !read_number(name, &found.guard)) {
    return std::nullopt;
  }
  return found;
}

Result<std::string> prepare_tool_groups(bool wants_limits) {
  TRY_ASSIGN(const std::string path, find_delegated_group());
  const std::uint64_t process_namespace = own_process_namespace();
  const UniqueFd folder = open_folder(path);
  if (folder.is_open()) end_abandoned_groups(folder.get(), process_namespace);
  if (const int error = wants_limits && folder.is_open() ? give_controllers(folder.get()) : 0;
      error != 0) {
    log_warn(
        "control group {}: no controllers of memory and processes ({}); tool.limits hold for "
        "single processes",
        path, std::strerror(error));
  }
  return path + "/" + tool_group_prefix(process_namespace, ::getpid());
}

bool end_run_group(const std::string& prefix, pid_t guard) {
  const std::size_t slash = prefix.rfind('/');
  if (slash == std::string::npos) return true;
  const UniqueFd folder = open_folder(prefix.substr(0, slash));
  const std::string name = prefix.substr(slash + 1) + std::to_string(guard);
  return !folder.is_open() || guard::end_group(folder.get(), name.c_str());
}

}  // namespace filecall::worker
