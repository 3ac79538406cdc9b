// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/own_mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {
namespace {

using Kind = MountStep::Kind;

bool is_absence(int error) { return error == ENOENT || error == ENOTDIR; }

class OwnMounts {
 public:
  OwnMounts(int root, std::int64_t tmp_bytes) : root_(root), tmp_bytes_(tmp_bytes) {}

  /// Takes hold of what later steps carry, before something covers it. 0 or an errno value.
  int take_hold(const MountStep& step) {
    if (step.kind != Kind::kCarry) return 0;
    Fd mount(open_in(root_, step.path.c_str(), 0, RESOLVE_NO_SYMLINKS));
    if (!mount.is_open()) return is_absence(errno) ? 0 : errno;
    carried_[step.path] = std::move(mount);
    return 0;
  }

  /// 0 or an errno value.
  int perform(const MountStep& step) {
    const char* path = step.path.c_str();
    switch (step.kind) {
      case Kind::kTmpfs:
        return add_tmpfs(path);
      case Kind::kTerminals:
        return mount_new(root_, path, "devpts", MS_NOSUID | MS_NOEXEC,
                         "newinstance,ptmxmode=0666,mode=620");
      case Kind::kProc:
        return mount_proc(root_, path);
      case Kind::kCarry:
        return carry(step.path);
      case Kind::kPin:
        return mount_on_itself(path, 0);
      case Kind::kReadOnly:
        return mount_on_itself(path, bind_attributes(false));
      case Kind::kHide:
        return hide(path);
      default:
        return EINVAL;
    }
  }

 private:
  int add_tmpfs(const char* path) {
    char data[64];
    ::snprintf(data, sizeof data, "mode=1777,size=%lld", static_cast<long long>(tmp_bytes_));
    return mount_new(root_, path, "tmpfs", MS_NOSUID | MS_NODEV, data);
  }

  int carry(const std::string& path) {
    const auto mount = carried_.find(path);
    return mount == carried_.end() ? 0 : move_to(root_, mount->second.get(), path.c_str());
  }

  int mount_on_itself(const char* path, std::uint64_t attributes) {
    const Fd place(open_in(root_, path, 0, RESOLVE_NO_SYMLINKS));
    if (!place.is_open()) return is_absence(errno) ? 0 : errno;
    return attach(root_, place.get(), path, attributes);
  }

  int hide(const char* path) {
    const Fd place(open_in(root_, path, 0, RESOLVE_NO_SYMLINKS));
    if (!place.is_open()) return is_absence(errno) ? 0 : errno;
    const Fd nothing(
        open_in(root_, is_directory(place.get()) ? kNoDirectory : kNoFile, 0, RESOLVE_NO_SYMLINKS));
    if (!nothing.is_open()) return errno;
    return attach(root_, nothing.get(), path, bind_attributes(false) | MOUNT_ATTR_NOEXEC);
  }

  int root_;
  std::int64_t tmp_bytes_;
  std::map<std::string, Fd> carried_;
};

StepFailure add(const std::vector<MountStep>& plan, std::int64_t tmp_bytes) {
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) return failed_at(Step::kMounts, errno, "/");
  OwnMounts mounts(root.get(), tmp_bytes);
  for (const MountStep& step : plan) {
    if (const int error = mounts.take_hold(step); error != 0) {
      return failed_at(Step::kMounts, error, step.path.c_str());
    }
  }
  for (const MountStep& step : plan) {
    if (const int error = mounts.perform(step); error != 0) {
      return failed_at(Step::kMounts, error, step.path.c_str());
    }
  }
  return {};
}

}  // namespace

StepFailure add_own_mounts(const std::vector<MountStep>& plan, std::int64_t tmp_bytes) {
  const mode_t mask = ::umask(0);
  const StepFailure failure = add(plan, tmp_bytes);
  ::umask(mask);
  return failure;
}

StepFailure enter_directory(const char* path, int directory_fd) {
  struct stat wanted {};
  if (::fstat(directory_fd, &wanted) != 0) return failed_at(Step::kDirectory, errno, path);
  const Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd found(open_in(root.get(), path, O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  if (!found.is_open()) return failed_at(Step::kDirectory, errno, path);
  struct stat info {};
  if (::fstat(found.get(), &info) != 0) return failed_at(Step::kDirectory, errno, path);
  if (info.st_dev != wanted.st_dev || info.st_ino != wanted.st_ino) {
    return failed_at(Step::kDirectory, ENOENT, path);
  }
  return ::fchdir(found.get()) == 0 ? StepFailure{} : failed_at(Step::kDirectory, errno, path);
}

}  // namespace filecall::worker::guard
