// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>

#include "worker/proc/guard/options.h"
#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {

/// The control group (cgroup v2) of one run, in a folder that was given to the worker: all of the
/// run's processes are in it, whatever their parents are, and end at once. The guard is not in it.
/// A tool without a sandbox has the guard's rights and may leave it.
class RunGroup {
 public:
  /// Makes PREFIX and the guard's process id, and sets those limits of which the kernel has a
  /// controller there. 0 or an errno value.
  int make(const char* prefix, pid_t guard, const Limits& limits);

  bool is_there() const { return group_.is_open(); }
  const std::string& path() const { return path_; }

  /// Write end: "0" moves the process that writes; -1 without a group.
  int members() const { return members_.get(); }
  /// 0 or an errno value.
  int take(pid_t process) const;

  /// Kills all that is in it. Repeating it changes nothing.
  void kill() const;
  /// Kills and waits until nothing is in it. False: something does not die in time.
  bool end() const;
  /// Removes it; kills what is in it still.
  void remove();

 private:
  std::string path_;
  std::string name_;
  Fd parent_, group_, members_;
};

}  // namespace filecall::worker::guard
