// SPDX-License-Identifier: MIT
#include "worker/proc/guard/spare_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "worker/proc/guard/free_spare.h"
#include "worker/proc/guard/guarded_run.h"
#include "worker/proc/guard/init_process.h"
#include "worker/proc/guard/passed_descriptors.h"
#include "worker/proc/sandbox/seccomp_program.h"

namespace filecall::worker::guard {
namespace {

/// The process that waits, for runs in a sandbox.
class WaitingGuard {
 public:
  WaitingGuard(const SandboxOptions& options, const PreparedTree& tree, int server, int watch)
      : options_(options), tree_(tree), server_(server), watch_(watch) {}

  /// False: there is nothing to wait for.
  bool prepare(pid_t worker) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != worker) return false;
    const Prepared prepared = options_.uses(kNamespaces) ? tree_.last() : Prepared{};
    // The server's end of our socket, too: else we would not see its end.
    if (!close_others(kGuardDescriptors, {server_, watch_, prepared.user, prepared.mounts})) {
      return false;
    }
    if (!options_.uses(kNamespaces)) return true;
    if (::uname(&host_) != 0) return false;
    init_ = make_init(options_, prepared);
    close_prepared(prepared);
    return init_.pid > 0;
  }

  /// Waits for a job, and is its guard if it is right for it.
  void serve(pid_t worker) {
    Job job{};
    if (!wait_for_job() || receive_job(kJobsFd, &job) != Received::kJob) return;
    const JobText text(job.message, job.fds[kJobTextFd]);
    if (!text.is_understood() || !is_right_for(text.options().sandbox)) {
      send_job(server_, job);
      return;
    }
    // First: it may have to wait for names that another run holds, and nobody is to wait for that.
    say_taken(server_);
    if (!place_job(job, {init_.link_fd, init_.failure_fd})) return;
    ::_exit(run_guarded({text.options(), job.message, {}, init_}, worker));
  }

  void end() { end_init(&init_); }

 private:
  /// False: one of those that it depends on is gone, or the host's mounts have changed.
  bool wait_for_job() const {
    struct pollfd news[4] = {{kJobsFd, POLLIN, 0},
                             {server_, POLLIN, 0},
                             {watch_, POLLPRI, 0},
                             {init_.failure_fd, POLLIN, 0}};
    if (::poll(news, 4, -1) <= 0) return false;
    return news[1].revents == 0 && news[2].revents == 0 && news[3].revents == 0;
  }

  bool is_right_for(const SandboxOptions& wanted) const {
    if (wanted != options_) return false;
    if (init_.pid < 0) return true;
    struct pollfd failure {
      init_.failure_fd, POLLIN, 0
    };
    return has_host_name() && tree_.is_current(wanted, watch_) && ::poll(&failure, 1, 0) == 0;
  }

  /// A run has the host's name of when its namespaces were made.
  bool has_host_name() const {
    struct utsname now {};
    return ::uname(&now) == 0 && std::strcmp(now.nodename, host_.nodename) == 0 &&
           std::strcmp(now.domainname, host_.domainname) == 0;
  }

  const SandboxOptions& options_;
  const PreparedTree& tree_;
  int server_;
  int watch_;
  struct utsname host_ {};
  InitProcess init_;
};

}  // namespace

void SpareGuard::make_for(const SandboxOptions& options, PreparedTree* tree, pid_t worker) {
  if (is_there()) return;
  Fd watch;
  if (options.uses(kNamespaces)) {
    watch = tree->watch_again();
    if (!watch.is_open()) return;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  Fd ours(ends[0]);
  const Fd its(ends[1]);
  // Made here once, and not in each tool.
  if (options.uses(kSeccomp)) kept_seccomp_program(options);
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
  if (child == 0 && !options.is_on()) {
    FreeSpare(its.get()).serve(worker);
    ::_exit(0);
  }
  if (child == 0) {
    WaitingGuard guard(options, *tree, its.get(), watch.get());
    if (guard.prepare(worker)) guard.serve(worker);
    guard.end();
    ::_exit(0);
  }
  if (child > 0) socket_ = std::move(ours);
}

SpareGuard::News SpareGuard::hear(Job* job) {
  const Fd socket = std::move(socket_);
  int count = kJobDescriptors;
  const ssize_t size =
      receive_with_descriptors(socket.get(), &job->message, sizeof job->message, job->fds, &count);
  if (size == sizeof kTakenByte) return News::kTaken;
  if (size == sizeof job->message && count == kJobDescriptors) return News::kGiven;
  for (int i = 0; i < count; ++i) ::close(job->fds[i]);
  return News::kEnded;
}

void say_taken(int fd) { ::send(fd, &kTakenByte, sizeof kTakenByte, MSG_NOSIGNAL); }

bool place_job(const Job& job, std::initializer_list<int> kept) {
  for (int i = 0; i < kJobStreams; ++i) {
    // The tool's own three stay open over exec; the others are marked before it.
    if (::dup2(job.fds[i], i) < 0) return false;
  }
  return ::dup3(job.fds[kJobTextFd], kJobTextFd, O_CLOEXEC) == kJobTextFd &&
         close_others(kGuardDescriptors, kept);
}

}  // namespace filecall::worker::guard
