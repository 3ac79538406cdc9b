// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "worker/proc/sandbox/mount_calls.h"
#include "worker/proc/sandbox/namespaces.h"
#include "worker/proc/sandbox/path_facts.h"

namespace filecall::worker::guard {

/// The shared part of a sandbox's file tree, made once and held in a mount namespace that no
/// process is in. Each run begins with a copy of it in a mount namespace of its own. An ordinary
/// user's tree needs a user namespace to be made in; the runs that begin with it are in that one,
/// too, where all that is theirs (mounts, processes, IPC objects, network, host name) is their own.
/// It holds on to what it shows: a file system that the host unmounts stays busy until
/// forget(). One thread.
class PreparedTree {
 public:
  PreparedTree();

  /// The tree for such runs. It is made again when it is for others, when the host's mounts have
  /// changed, or when a path of the plan names another file than before; the host's changes
  /// within what is mounted are seen without that. Empty when there is to be none (without
  /// namespaces; without the filter that keeps a run's processes from others of its user namespace)
  /// or when it cannot be made: the run makes all of it then, and says why it cannot.
  Prepared ready_for(const SandboxOptions& options);

  /// The tree as it was made last; empty when there is none.
  Prepared last() const;

  /// True when a copy of the tree, made while it was the last one, still is what ready_for() would
  /// give: the tree is for such runs, its paths name the same files, and `watch` tells of no change
  /// of the host's mounts. Takes that news away.
  bool is_current(const SandboxOptions& options, int watch) const;

  /// Another watch_fd(), for one who holds a copy of the tree: tells of all changes since the tree
  /// was made. Not open: there is no tree, or it is stale and was dropped.
  Fd watch_again();

  /// Readable as POLLPRI when the host's mounts have changed; -1: it cannot be known, and there is
  /// never a tree.
  int watch_fd() const { return watch_.get(); }
  /// Drops the tree.
  void forget();

 private:
  void make();
  bool is_same(const std::vector<MountStep>& plan, int watch) const;

  Fd watch_;
  Fd user_;
  Fd mounts_;
  std::vector<MountStep> plan_;
  std::vector<PathFacts> facts_;
};

}  // namespace filecall::worker::guard
