// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/unique_fd.h"
#include "worker/proc/captured_output.h"
#include "worker/proc/guard_server.h"
#include "worker/proc/sandbox/sandbox_options.h"

namespace filecall::worker {

enum class OutputSource : std::uint8_t { kStdout, kStderr };

/// What a child may use; absent: whatever the worker itself may.
struct ChildLimits {
  std::optional<std::int64_t> memory_bytes;  ///< Address space of one process.
  std::optional<std::int64_t> cpu_seconds;   ///< CPU time of one process.
  std::optional<std::int64_t> files;         ///< Open descriptors of one process.
  std::optional<std::int64_t> file_bytes;    ///< Size of a file it writes.
  /// Processes of this whole user, the worker's and the desktop's included (RLIMIT_NPROC): a bound
  /// for a user of its own. The superuser is not bound.
  std::optional<std::int64_t> processes;
};

/// What a child may see and do beyond its own user's rights: see worker/proc/sandbox/. Paths are
/// absolute and canonical.
using ChildSandbox = guard::SandboxOptions;

struct ChildSpec {
  std::string program;            ///< The file to execute; not searched in PATH.
  std::vector<std::string> argv;  ///< argv[0] included; not empty.
  std::vector<std::string> env;   ///< "NAME=value": the whole environment.
  UniqueFd cwd;                   ///< The directory to start in (O_PATH is enough); open.
  std::string input;              ///< Given to standard input, which then ends.
  ChildLimits limits;
  ChildSandbox sandbox;                    ///< Default: none.
  std::string group;                       ///< prepare_tool_groups(); empty: none of its own.
  Duration kill_delay = seconds(2);        ///< From TERM to KILL when it is cancelled.
  std::size_t output_bytes = 1024 * 1024;  ///< Kept of each of stdout and stderr.
  /// Hears all of it as it comes; may be empty. On the loop, before `done`, and never after the
  /// Child is gone.
  std::function<void(OutputSource, std::string_view)> on_output;
};

/// A bare repository that a child left where it must not (worker/proc/sandbox/bare_repositories.h).
struct LeftRepository {
  std::string folder;
  std::string head;  ///< The new name of its HEAD; "": it could not be renamed.

  bool operator==(const LeftRepository&) const = default;
};

/// How a child ended. Exactly one of `exit_code`, `signal` and `error` is present.
struct ChildResult {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<Error> error;  ///< It never ran, or the guard was lost.
  bool was_cancelled = false;  ///< cancel() was heard before it ended.
  bool has_survivors = false;  ///< Some descendant could not be killed within ten seconds.
  Duration duration{};
  Duration user{};  ///< CPU of the child and its descendants.
  Duration system{};
  std::int64_t max_rss_bytes = 0;            ///< Of the largest single process.
  std::vector<LeftRepository> repositories;  ///< Those that the guard had room to name.
  std::size_t repositories_count = 0;
};

/// Where filecall-guard is: beside this program, else in ../libexec/filecall of it. Failure:
/// failed_precondition, with the places that were tried.
Result<std::string> find_guard();

/// One program, run under a guard: see worker/proc/guard/. The guard ends all of it when it
/// ends, when it is cancelled and when this process dies. What is left by a program that ends its
/// guard comes to this process, which ends it before `done` is called (own_children.h). Only a
/// sandbox stops a program that ends this process as well. Loop thread only, which is the
/// process's first and must live as long as the worker: the guard takes its end for the worker's.
/// The process must ignore SIGPIPE (start() sees to it).
class Child {
 public:
  using Done = std::function<void(ChildResult)>;
  class Run;  ///< Implementation.

  /// Failures: those of GuardServer::start(), and resource_exhausted (descriptors). `done` is then
  /// never called. Otherwise it is called once, from the loop and never from start(), when the
  /// program and all it started are gone and the output is complete.
  static Result<std::unique_ptr<Child>> start(uv_loop_t* loop, std::shared_ptr<GuardServer> server,
                                              ChildSpec spec, Done done);
  /// Cancels when it still runs; `done` is then not called.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// TERM for all of it, KILL after the kill delay. Repeating it changes nothing.
  void cancel();

  /// What has been written until now; complete when `done` is called.
  const CapturedOutput& standard_output() const;
  const CapturedOutput& standard_error() const;
  pid_t guard_pid() const;  ///< -1: it has not said a word yet.

 private:
  explicit Child(std::shared_ptr<Run> run);
  std::shared_ptr<Run> run_;  ///< Keeps itself alive too, until its last handle is closed.
};

}  // namespace filecall::worker
