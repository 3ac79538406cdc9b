// SPDX-License-Identifier: MIT
#include "worker/proc/guard/serve.h"

#include <fcntl.h>
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

/// Puts the streams where a guard has them and closes everything else but the text.
bool place_descriptors(const Job& job, int* text) {
  int high[kJobDescriptors];
  for (int i = 0; i < kJobDescriptors; ++i) {
    high[i] = ::fcntl(job.fds[i], F_DUPFD_CLOEXEC, kJobDescriptors);
    if (high[i] < 0) return false;
  }
  for (int i = 0; i < kJobStreams; ++i) {
    // The tool's own three stay open over exec; the others are marked before it.
    if (::dup2(high[i], i) < 0) return false;
  }
  *text = ::dup2(high[kJobStreams], kJobStreams);
  return *text >= 0 && ::close_range(kJobDescriptors, ~0U, 0) == 0;
}

[[noreturn]] void run_job(const Job& job, pid_t worker) {
  int text = -1;
  if (!place_descriptors(job, &text)) ::_exit(1);
  const std::size_t size = static_cast<std::size_t>(job.message.text_bytes);
  void* const mapped =
      ::mmap(nullptr, std::max<std::size_t>(size, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE, text, 0);
  ::close(text);
  std::vector<char*> arguments, variables;
  Options options;
  if (mapped == MAP_FAILED ||
      !split_job(job.message, static_cast<char*>(mapped), &arguments, &variables) ||
      parse_options(static_cast<int>(job.message.arguments), arguments.data(), &options) !=
          nullptr) {
    ::_exit(2);
  }
  options.environment = variables.data();
  ::_exit(run_guarded(options, worker));
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

}  // namespace

int serve_jobs(pid_t worker) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != worker) return 0;
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  // Jobs hold what tools are given; nobody else of this user is to read them here.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::fcntl(kJobsFd, F_SETFD, FD_CLOEXEC);
  for (;;) {
    Job job{};
    const Received received = receive_job(&job);
    if (received == Received::kEnd) return 0;
    if (received == Received::kNothing) continue;
    const auto child = static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    if (child == 0) run_job(job, worker);
    if (child < 0) report_no_guard(job.fds[kReportFd], errno);
    for (const int fd : job.fds) ::close(fd);
  }
}

}  // namespace filecall::worker::guard
