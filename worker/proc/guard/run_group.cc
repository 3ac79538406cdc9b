// SPDX-License-Identifier: MIT
#include "worker/proc/guard/run_group.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "worker/proc/guard/group_folder.h"

namespace filecall::worker::guard {
namespace {

/// What is killed ends within a millisecond, unless it hangs in the kernel.
constexpr int kPassMs = 5;
constexpr int kPassesMax = 2000;

void pause_a_pass() { ::poll(nullptr, 0, kPassMs); }

}  // namespace

int RunGroup::make(const char* prefix, pid_t guard, const Limits& limits) {
  path_ = prefix + std::to_string(guard);
  const std::size_t slash = path_.rfind('/');
  if (slash == std::string::npos) return EINVAL;
  name_ = path_.substr(slash + 1);
  Fd parent(
      ::open(path_.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!parent.is_open()) return errno;
  int made = ::mkdirat(parent.get(), name_.c_str(), 0755);
  // Of a run whose guard had our number, and that nobody has removed.
  if (made != 0 && errno == EEXIST && end_group(parent.get(), name_.c_str())) {
    made = ::mkdirat(parent.get(), name_.c_str(), 0755);
  }
  if (made != 0) return errno;
  parent_ = std::move(parent);
  group_ =
      Fd(::openat(parent_.get(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!group_.is_open()) return errno;
  members_ = Fd(::openat(group_.get(), "cgroup.procs", O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  return members_.is_open() ? set_group_limits(group_.get(), limits) : errno;
}

int RunGroup::take(pid_t process) const {
  if (!is_there()) return 0;
  const std::string number = std::to_string(process);
  return ::write(members_.get(), number.data(), number.size()) ==
                 static_cast<ssize_t>(number.size())
             ? 0
             : errno;
}

void RunGroup::kill() const {
  if (is_there()) write_group_file(group_.get(), "cgroup.kill", "1");
}

bool RunGroup::end() const {
  for (int pass = 0; is_there() && !is_group_empty(group_.get()); ++pass) {
    if (pass == kPassesMax) return false;
    kill();
    pause_a_pass();
  }
  return true;
}

void RunGroup::remove() {
  for (int pass = 0; parent_.is_open() && !end_group(parent_.get(), name_.c_str()); ++pass) {
    if (pass == kPassesMax) break;
    pause_a_pass();
  }
  members_.reset();
  group_.reset();
  parent_.reset();
}

}  // namespace filecall::worker::guard
