// SPDX-License-Identifier: MIT
#include "worker/proc/child.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include "os/process.h"
#include "worker/proc/child_run.h"

namespace filecall::worker {
namespace {

/// A program that does not read its input must not end the worker. A handler that the program's
/// main installed is kept.
void ignore_broken_pipes() {
  struct sigaction action {};
  ::sigaction(SIGPIPE, nullptr, &action);
  if (action.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

Result<std::string> find_guard() {
  const std::string here = executable_directory();
  const std::string beside = here + "/filecall-guard";
  const std::string installed = here + "/../libexec/filecall/filecall-guard";
  for (const std::string& path : {beside, installed}) {
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return fail(ErrorCode::kFailedPrecondition,
              fmt::format("filecall-guard: neither {} nor {} is there; reinstall filecall, or set "
                          "tool.guard in the worker's configuration file",
                          beside, installed));
}

Result<std::unique_ptr<Child>> Child::start(uv_loop_t* loop, std::shared_ptr<GuardServer> server,
                                            ChildSpec spec, Done done) {
  CHECK(!spec.argv.empty(), "a child has at least argv[0]");
  CHECK(spec.cwd.is_open(), "a child is given its directory");
  ignore_broken_pipes();
  auto run = std::make_shared<Run>(loop, std::move(server), std::move(spec), std::move(done));
  TRY(run->start());
  return std::unique_ptr<Child>(new Child(std::move(run)));
}

Child::Child(std::shared_ptr<Run> run) : run_(std::move(run)) {}
Child::~Child() { run_->abandon(); }
void Child::cancel() { run_->cancel(); }
const CapturedOutput& Child::standard_output() const { return run_->out(); }
const CapturedOutput& Child::standard_error() const { return run_->err(); }
pid_t Child::guard_pid() const { return run_->pid(); }

}  // namespace filecall::worker
