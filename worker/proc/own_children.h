// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <set>

namespace filecall::worker {

/// The children that this process started. All others it has adopted: a tool that ends its guard
/// leaves its processes to nobody, and the kernel then gives them to this process
/// (PR_SET_CHILD_SUBREAPER), however they are related to each other. One thread, the process's
/// first.
class OwnChildren {
 public:
  static OwnChildren& of_process();

  /// To be called before anything that a tool could belong to is started.
  void adopt_orphans();

  /// A guard server; all of its process group is ours, too.
  void add_server(pid_t server) { servers_.insert(server); }
  /// A guard that has left its server's group.
  void add_guard(pid_t guard) { guards_.insert(guard); }
  /// It has been reaped.
  void forget(pid_t child);

  /// A guard says who it is before it leaves its server's group. `hear` reads what one has said
  /// already: from expect() until expect_no_more().
  void expect(const void* listener, std::function<void()> hear);
  void expect_no_more(const void* listener) { listeners_.erase(listener); }

  /// Whether this child is a guard that has greeted, heard or not.
  bool is_guard(pid_t child);
  /// Whether a guard that has greeted has yet to leave its server's group, and runs.
  bool has_guard_in(pid_t server);

  /// Kills what tools have left to this process, and reaps it; false when something may be left,
  /// such as what the killed and the reaped ones had started: to be repeated. Processes that are no
  /// tool's are left alone where they can be distinguished (they can gain privileges, and so can
  /// this process).
  bool end_orphans();

 private:
  void hear_all();

  std::set<pid_t> servers_, guards_;
  std::map<const void*, std::function<void()>> listeners_;
};

}  // namespace filecall::worker
