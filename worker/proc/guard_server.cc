// SPDX-License-Identifier: MIT
#include "worker/proc/guard_server.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

extern "C" {  // glibc 2.36 forgot it in this header.
#include <sys/pidfd.h>
}

#include "worker/proc/child_result.h"
#include "worker/proc/own_children.h"

namespace filecall::worker {
namespace {

/// The server takes a job in a tenth of a millisecond; later than this it hangs.
constexpr timeval kSendPatience{1, 0};
constexpr int kExitPatienceMs = 1000;
constexpr int kLeavePatienceMs = 200;

/// Children that nobody may wait for would be lost.
void expect_children() {
  struct sigaction action {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if (action.sa_handler == SIG_IGN) ::signal(SIGCHLD, SIG_DFL);
}

/// 0 or an errno value.
int spawn_server(const std::string& program, int socket, pid_t* pid) {
  std::string name = program;
  std::string order = fmt::format("--serve={}", ::getpid());
  char* const words[] = {name.data(), order.data(), nullptr};
  char* const no_variables[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, socket, guard::kJobsFd);
  posix_spawn_file_actions_addclosefrom_np(&actions, guard::kJobsFd + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  // Its own session: Ctrl-C on the worker's terminal is the worker's to interpret.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int error = ::posix_spawn(pid, program.c_str(), &actions, &attributes, words, no_variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// The text in a file without a name. Failure: resource_exhausted.
Result<UniqueFd> file_of(const std::string& text) {
  UniqueFd file(::memfd_create("filecall-job", MFD_CLOEXEC));
  std::string_view rest = text;
  while (file.is_open() && !rest.empty()) {
    const ssize_t written = ::write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      file.reset();
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file.is_open()) return file;
  return fail(ErrorCode::kResourceExhausted,
              fmt::format("the arguments of a tool: {}; lower tool.concurrency or raise the "
                          "worker's limits of memory and open files",
                          std::strerror(errno)));
}

/// Waits a second at most.
void await_exit(pid_t child) {
  const UniqueFd exit(::pidfd_open(child, 0));
  struct pollfd wanted {
    exit.get(), POLLIN, 0
  };
  ::poll(&wanted, 1, kExitPatienceMs);
}

}  // namespace

GuardServer::GuardServer(std::string program, Duration patience)
    : program_(std::move(program)), patience_(patience) {}

GuardServer::~GuardServer() {
  socket_.reset();
  // Not at once by force: a spare guard that is killed leaves a child to a stranger.
  if (pid_ > 0) await_exit(pid_);
  end();
  for (const auto& [guard, reap] : std::exchange(exiting_, {})) {
    await_exit(guard);
    reap();
  }
}

void GuardServer::expect_exit(pid_t guard, std::function<void()> reap) {
  exiting_[guard] = std::move(reap);
}

void GuardServer::end() {
  socket_.reset();
  if (pid_ < 0) return;
  // A guard that has its tool leaves the group at once, and its run goes on; a stopped one does
  // not.
  for (int ms = 0; ms < kLeavePatienceMs && OwnChildren::of_process().has_guard_in(pid_); ++ms) {
    ::poll(nullptr, 0, 1);
  }
  ::kill(-pid_, SIGKILL);
  while (::waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR) {
  }
  OwnChildren::of_process().forget(pid_);
  pid_ = -1;
}

void GuardServer::resume() {
  if (pid_ > 0) ::kill(-pid_, SIGCONT);
}

void GuardServer::reap_spares() {
  while (pid_ > 0) {
    siginfo_t info{};
    // The server itself is looked at only: its group has its number until it is reaped.
    const int done = ::waitid(P_PGID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (done != 0 || info.si_pid == 0) return;
    if (info.si_pid == pid_) {
      end();
    } else if (OwnChildren::of_process().is_guard(info.si_pid)) {
      return;  // Killed before it had left the group: its run sees to it.
    } else {
      ::waitpid(info.si_pid, nullptr, 0);
    }
  }
}

Result<void> GuardServer::prepare() {
  reap_spares();
  return pid_ < 0 ? launch() : Result<void>();
}

Result<void> GuardServer::launch() {
  expect_children();
  OwnChildren::of_process().adopt_orphans();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Unexpected(spawn_error(errno, program_));
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendPatience, sizeof kSendPatience);
  pid_t pid = -1;
  if (const int error = spawn_server(program_, theirs.get(), &pid); error != 0) {
    return Unexpected(spawn_error(error, program_));
  }
  pid_ = pid;
  OwnChildren::of_process().add_server(pid);
  socket_ = std::move(ours);
  return {};
}

int GuardServer::send(const guard::JobMessage& message,
                      const std::array<int, guard::kJobDescriptors>& descriptors) {
  struct iovec data {
    const_cast<guard::JobMessage*>(&message), sizeof message
  };
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof descriptors)] = {};
  struct msghdr header {};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  struct cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(part), descriptors.data(), sizeof descriptors);
  for (;;) {
    if (::sendmsg(socket_.get(), &header, MSG_NOSIGNAL) >= 0) return 0;
    if (errno != EINTR) return errno;
  }
}

Result<void> GuardServer::start(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& variables,
                                const std::array<int, guard::kJobStreams>& descriptors) {
  const std::string text = guard::job_text(arguments, variables);
  TRY_ASSIGN(const UniqueFd file, file_of(text));
  guard::JobMessage message;
  message.arguments = static_cast<std::uint32_t>(arguments.size());
  message.variables = static_cast<std::uint32_t>(variables.size());
  message.text_bytes = text.size();
  std::array<int, guard::kJobDescriptors> all{};
  std::copy(descriptors.begin(), descriptors.end(), all.begin());
  all.back() = file.get();
  for (bool is_new = false;; is_new = true) {
    TRY(prepare());
    const int error = send(message, all);
    if (error == 0) return {};
    if (error == EAGAIN || error == EWOULDBLOCK) {
      end();
      return fail(ErrorCode::kUnavailable,
                  fmt::format("{}: it takes no more tools, and was ended; try again", program_));
    }
    const bool has_ended = error == EPIPE || error == ECONNRESET;
    if (!has_ended) return Unexpected(spawn_error(error, program_));
    end();
    if (is_new) return Unexpected(spawn_error(error, program_));
  }
}

}  // namespace filecall::worker
