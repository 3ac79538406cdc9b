// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <initializer_list>

#include "worker/proc/guard/received_job.h"
#include "worker/proc/sandbox/mount_calls.h"
#include "worker/proc/sandbox/prepared_tree.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker::guard {

/// The guard of the next run, made while nothing asks for it: a child of the worker that waits at
/// the server's socket in the server's place, in a sandbox with process 1 of the run's process tree
/// and its file tree. It holds nothing of any run. It takes one job, for runs of one kind, and is
/// then that run's guard. A job for which it is not right it gives to the server and ends: one of
/// another kind, or one that comes when a path or a mount of the host is not what its file tree
/// shows, or when the host has another name. It also ends with the server, with the worker, with
/// its process 1, and as soon as the host's mounts change, so that it keeps no file system busy.
/// Until it is a guard it is in the server's process group; the worker reaps it. One thread.
class SpareGuard {
 public:
  /// Makes one for such runs, when there is none; returns at once. In a sandbox it begins with
  /// `tree`: without one there is none, and the run makes all that it needs. The server must not
  /// read kJobsFd while is_there().
  void make_for(const SandboxOptions& options, PreparedTree* tree, pid_t worker);

  bool is_there() const { return socket_.is_open(); }
  int socket() const { return socket_.get(); }  ///< Readable when hear() has something.

  enum class News {
    kTaken,  ///< It has become a guard.
    kGiven,  ///< It has given `job`, and ends.
    kEnded,
  };
  /// What has become of it; there is none then. Waits for it.
  News hear(Job* job);

 private:
  Fd socket_;
};

/// What a spare guard says to the server once it has its job: the next one may be made.
constexpr char kTakenByte = 'T';
void say_taken(int fd);

/// Puts a job's descriptors where a guard has them and closes everything else, but for those to
/// keep (-1: none). False: it has no place for them.
bool place_job(const Job& job, std::initializer_list<int> kept);

}  // namespace filecall::worker::guard
