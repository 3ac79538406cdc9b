// SPDX-License-Identifier: MIT
#include "os/program_output.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/clock.h"
#include "os/unique_fd.h"

namespace filecall {
namespace {

constexpr std::size_t kOutputBytesMax = 64 * 1024;

Result<pid_t> spawn(const ProgramCall& call, int output) {
  const std::vector<std::string>& argv = call.argv;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  if (call.is_silent) {
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  if (!call.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&files, call.directory.c_str());
  }
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  char* nothing[] = {nullptr};
  char** variables = call.environment == Environment::kInherited ? environ : nothing;
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, words.front(), &files, nullptr, words.data(), variables);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return fail_errno(error, argv.front());
  return pid;
}

/// False: the deadline came first.
bool read_to_end(int fd, Deadline deadline, std::string* out) {
  char bytes[4096];
  for (;;) {
    const Duration left = deadline.time_left(monotonic_now());
    struct pollfd ready {
      fd, POLLIN, 0
    };
    const int found = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, to_ms(left))));
    if (found == 0) return false;
    if (found < 0 && errno == EINTR) continue;
    const ssize_t size = ::read(fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    const std::size_t room = kOutputBytesMax - out->size();
    out->append(bytes, std::min(room, static_cast<std::size_t>(size)));
  }
}

}  // namespace

Result<ProgramEnd> call_program(const ProgramCall& call) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail_errno(errno, "a pipe");
  const UniqueFd read_end(fds[0]);
  UniqueFd write_end(fds[1]);
  TRY_ASSIGN(const pid_t pid, spawn(call, write_end.get()));
  write_end.reset();
  ProgramEnd end;
  const bool has_ended =
      read_to_end(read_end.get(), Deadline::after(monotonic_now(), call.patience), &end.output);
  if (!has_ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended) {
    return fail(ErrorCode::kDeadlineExceeded,
                fmt::format("{}: did not end in {} ms", call.argv.front(), to_ms(call.patience)));
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return end;
}

Result<std::string> program_output(const std::vector<std::string>& argv, Duration patience,
                                   Environment environment) {
  TRY_ASSIGN(ProgramEnd end, call_program({argv, patience, environment}));
  if (end.exit_code == 0) return std::move(end.output);
  return fail(ErrorCode::kInternal, fmt::format("{}: failed", argv.front()));
}

}  // namespace filecall
