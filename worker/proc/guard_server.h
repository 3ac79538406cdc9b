// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/unique_fd.h"
#include "worker/proc/guard/job.h"

namespace filecall::worker {

/// A running filecall-guard that hands out guards (worker/proc/guard/serve.h): copying that small
/// process is several times cheaper than copying this one, or than starting a program. Guards are
/// children of this process, whatever made them: they end with it, and the server's end changes
/// nothing for them. After a run the server keeps one guard for the next. One thread, which must
/// live as long as the process: the kernel takes its end for the process's.
class GuardServer {
 public:
  /// `program`: filecall-guard. Nothing is started until the first start(). `patience`: a guard
  /// says its greeting within a millisecond; later than this the server hangs.
  explicit GuardServer(std::string program, Duration patience = seconds(20));
  /// Ends the server; guards that run go on. The server and those of expect_exit() are waited for,
  /// a second each at most.
  ~GuardServer();
  GuardServer(const GuardServer&) = delete;
  GuardServer& operator=(const GuardServer&) = delete;

  /// Starts the server unless one runs. start() does it, too; but who opens descriptors for a guard
  /// calls this before, while there are enough of them. Failures: as start().
  Result<void> prepare();

  /// Asks for a guard with these arguments (see guard/options.h), these variables for its tool and
  /// these descriptors, which stay the caller's. What becomes of it is said on the descriptor
  /// kReportFd: a Greeting, or its end without one when nothing was started. A server that has
  /// ended is replaced. Failures: resource_exhausted, failed_precondition (it cannot be executed),
  /// unavailable (it takes no job within a second; it is then ended).
  Result<void> start(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& variables,
                     const std::array<int, guard::kJobStreams>& descriptors);

  /// Lets the server and its spare guard go on, if somebody has stopped them (SIGSTOP).
  void resume();

  /// Ends the server and its spare guard: it does not answer. Jobs whose guard has not greeted are
  /// lost, and those whose guard has greeted and does not leave the server's group within 200 ms.
  void end();

  /// A guard that has nothing more to do than to exit. `reap` is called by the destructor, if
  /// forget() was not called before.
  void expect_exit(pid_t guard, std::function<void()> reap);
  void forget(pid_t guard) { exiting_.erase(guard); }

  const std::string& program() const { return program_; }
  Duration patience() const { return patience_; }
  pid_t pid() const { return pid_; }  ///< -1: none runs, as far as is known.

 private:
  Result<void> launch();
  /// Reaps spare guards that have ended unused. Until a guard begins its run it is in the server's
  /// process group, and nobody else knows of it.
  void reap_spares();
  int send(const guard::JobMessage& message,
           const std::array<int, guard::kJobDescriptors>& descriptors);

  std::string program_;
  Duration patience_;
  UniqueFd socket_;
  pid_t pid_ = -1;
  std::map<pid_t, std::function<void()>> exiting_;
};

}  // namespace filecall::worker
