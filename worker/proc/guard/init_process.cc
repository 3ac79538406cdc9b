// SPDX-License-Identifier: MIT
#include "worker/proc/guard/init_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "worker/proc/guard/passed_descriptors.h"
#include "worker/proc/sandbox/mount_calls.h"

namespace filecall::worker::guard {
namespace {

void send_whole(int socket, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t sent = ::send(socket, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    done += static_cast<std::size_t>(sent);
  }
}

}  // namespace

InitProcess make_init(const SandboxOptions& options, const Prepared& prepared) {
  int link[2];
  int failure[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) != 0) return {};
  Fd our_link(link[0]), its_link(link[1]);
  if (::pipe2(failure, O_CLOEXEC) != 0) return {};
  Fd our_failure(failure[0]), its_failure(failure[1]);
  InitPlan plan;
  plan.user = ::geteuid();
  plan.group = ::getegid();
  plan.prepared = prepared;
  plan.failure = its_failure.get();
  plan.link = its_link.get();
  const pid_t child = fork_into_namespaces(options, prepared, &plan.needs_map);
  if (child == 0) {
    // Else it would not see the guard's end.
    our_link.reset();
    run_init(options, plan);
  }
  if (child < 0) return {};
  return {child, our_link.release(), our_failure.release()};
}

void give_job(const InitProcess& init, const JobMessage& tool, const std::string& start,
              const std::vector<std::string>& protected_paths) {
  const std::string text = job_text({start}, protected_paths);
  InitJob job;
  job.tool = tool;
  job.places.arguments = 1;
  job.places.variables = static_cast<std::uint32_t>(protected_paths.size());
  job.places.text_bytes = text.size();
  const int fds[kInitDescriptors] = {0, 1, 2, kCwdFd, kJobTextFd};
  if (!send_with_descriptors(init.link_fd, &job, sizeof job, fds, kInitDescriptors)) return;
  send_whole(init.link_fd, text);
}

void end_init(InitProcess* init) {
  if (init->pid < 0) return;
  ::kill(init->pid, SIGKILL);
  while (::waitpid(init->pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::close(init->link_fd);
  ::close(init->failure_fd);
  *init = {};
}

}  // namespace filecall::worker::guard
