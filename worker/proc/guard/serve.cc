// SPDX-License-Identifier: MIT
#include "worker/proc/guard/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "worker/proc/guard/guarded_run.h"
#include "worker/proc/guard/job.h"
#include "worker/proc/guard/options.h"
#include "worker/proc/sandbox/prepared_tree.h"
#include "worker/proc/sandbox/seccomp_program.h"
#include "worker/proc/sandbox/spare_namespaces.h"

namespace filecall::worker::guard {
namespace {

struct Job {
  JobMessage message;
  int fds[kJobDescriptors];
};

enum class Received { kJob, kNothing, kEnd };

/// The descriptors that came with a message; closes what is more than a job has.
int take_descriptors(const struct msghdr& header, int* fds) {
  int count = 0;
  for (struct cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr;
       part = CMSG_NXTHDR(const_cast<struct msghdr*>(&header), part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t size = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < size; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      if (count < kJobDescriptors) {
        fds[count++] = fd;
      } else {
        ::close(fd);
      }
    }
  }
  return count;
}

Received receive_job(Job* job) {
  struct iovec data {
    &job->message, sizeof job->message
  };
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof job->fds)];
  struct msghdr header {};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t size = ::recvmsg(kJobsFd, &header, MSG_CMSG_CLOEXEC);
  if (size < 0 && (errno == EINTR || errno == EMFILE || errno == ENOMEM)) return Received::kNothing;
  if (size <= 0) return Received::kEnd;
  const int count = take_descriptors(header, job->fds);
  if (size == sizeof job->message && job->message.magic == kReportMagic &&
      count == kJobDescriptors) {
    return Received::kJob;
  }
  // The worker sees its pipes end.
  for (int i = 0; i < count; ++i) ::close(job->fds[i]);
  return Received::kNothing;
}

/// What is asked for, read from a job's text; it points into the text, which is mapped meanwhile.
class JobText {
 public:
  JobText(const JobMessage& message, int fd)
      : size_(std::max<std::size_t>(static_cast<std::size_t>(message.text_bytes), 1)),
        text_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE, fd, 0)) {
    is_understood_ =
        text_ != MAP_FAILED &&
        split_job(message, static_cast<char*>(text_), &arguments_, &variables_) &&
        parse_options(static_cast<int>(message.arguments), arguments_.data(), &options_) == nullptr;
    options_.environment = variables_.data();
  }
  ~JobText() {
    if (text_ != MAP_FAILED) ::munmap(text_, size_);
  }
  JobText(const JobText&) = delete;
  JobText& operator=(const JobText&) = delete;

  bool is_understood() const { return is_understood_; }
  const Options& options() const { return options_; }

 private:
  std::size_t size_;
  void* text_;
  std::vector<char*> arguments_, variables_;
  Options options_;
  bool is_understood_ = false;
};

/// `place` holds what `*fd` is open on, or is closed when there is none.
bool move_descriptor(int* fd, int place) {
  if (*fd < 0) return ::close(place) == 0;
  if (::dup3(*fd, place, O_CLOEXEC) < 0) return false;
  *fd = place;
  return true;
}

/// Puts the descriptors where a guard has them and closes everything else.
bool place_descriptors(const Job& job, Prepared* prepared) {
  for (int i = 0; i < kJobStreams; ++i) {
    // The tool's own three stay open over exec; the others are marked before it.
    if (::dup2(job.fds[i], i) < 0) return false;
  }
  return move_descriptor(&prepared->user, kPreparedUserFd) &&
         move_descriptor(&prepared->mounts, kPreparedMountsFd) &&
         move_descriptor(&prepared->ipc, kPreparedIpcFd) &&
         move_descriptor(&prepared->network, kPreparedNetworkFd) &&
         ::close_range(kGuardDescriptors, ~0U, 0) == 0;
}

[[noreturn]] void run_job(const Job& job, const Options& options, Prepared prepared, pid_t worker) {
  if (!place_descriptors(job, &prepared)) ::_exit(1);
  ::_exit(run_guarded(options, prepared, worker));
}

void report_no_guard(int fd, int error) {
  struct {
    Greeting greeting;
    Report report;
  } said;
  static_assert(sizeof said == sizeof said.greeting + sizeof said.report);
  said.greeting.guard = -1;
  said.report.failure = failed_at(Step::kFork, error);
  [[maybe_unused]] const ssize_t written = ::write(fd, &said, sizeof said);
}

/// What runs are given ready-made.
struct Ahead {
  PreparedTree tree;
  SpareNamespaces spare;
  SandboxOptions last;  ///< The next run is taken to be like the last.
};

/// A job that is not understood is dropped: the worker sees its pipes end.
void start_guard(const Job& job, Ahead* ahead, pid_t worker) {
  const JobText text(job.message, job.fds[kJobStreams]);
  if (!text.is_understood()) return;
  const SandboxOptions& sandbox = text.options().sandbox;
  Prepared prepared = ahead->tree.ready_for(sandbox);
  const SpareNamespaces::Set set = ahead->spare.take(sandbox, prepared);
  prepared.ipc = set.ipc.get();
  prepared.network = set.network.get();
  // Made here once, and not in each tool.
  if (sandbox.uses(kSeccomp)) kept_seccomp_program(sandbox);
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
  if (child == 0) run_job(job, text.options(), prepared, worker);
  if (child < 0) report_no_guard(job.fds[kReportFd], errno);
  ahead->last = sandbox;
}

/// Takes the descriptors that a guard has, so that what is opened from now on lies above them.
void reserve_descriptors() {
  for (int fd = kJobsFd + 1; fd < kGuardDescriptors; ++fd) ::dup3(0, fd, O_CLOEXEC);
}

/// Waits for a job; meanwhile makes what the next one needs, and holds on to nothing that the host
/// unmounts.
void wait_for_job(Ahead* ahead) {
  struct pollfd news[2] = {{kJobsFd, POLLIN, 0}, {ahead->tree.watch_fd(), POLLPRI, 0}};
  for (int timeout_ms = 0; news[0].revents == 0; timeout_ms = -1) {
    if (::poll(news, 2, timeout_ms) < 0) return;
    if (news[1].revents != 0) ahead->tree.forget();
    if (timeout_ms == 0 && news[0].revents == 0) {
      ahead->spare.make_for(ahead->last, ahead->tree.last());
    }
  }
}

}  // namespace

int serve_jobs(pid_t worker) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != worker) return 0;
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  // Jobs hold what tools are given; nobody else of this user is to read them here.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::fcntl(kJobsFd, F_SETFD, FD_CLOEXEC);
  reserve_descriptors();
  Ahead ahead;
  for (;;) {
    wait_for_job(&ahead);
    Job job{};
    const Received received = receive_job(&job);
    if (received == Received::kEnd) return 0;
    if (received == Received::kNothing) continue;
    start_guard(job, &ahead, worker);
    for (const int fd : job.fds) ::close(fd);
  }
}

}  // namespace filecall::worker::guard
