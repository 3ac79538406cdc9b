// SPDX-License-Identifier: MIT
#include "client/ending/end_command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/io.h"
#include "os/unique_fd.h"

namespace filecall::client {
namespace {

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string text = *one;
    const bool is_replaced = std::any_of(variables.begin(), variables.end(), [&](const auto& v) {
      return text.starts_with(v.first + "=");
    });
    if (!is_replaced) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

/// In memory: a command that does not read it makes nobody wait.
Result<UniqueFd> memory_file(const std::string& text) {
  UniqueFd fd(::memfd_create("summary", MFD_CLOEXEC));
  if (!fd.is_open()) return fail_errno(errno, "--on-end: memfd_create");
  TRY(write_all(fd.get(), text, "--on-end: standard input"));
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return fail_errno(errno, "--on-end: lseek");
  return fd;
}

Result<int> wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return fail_errno(errno, "--on-end: waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<int> run_end_command(const std::string& command, const std::string& input,
                            const std::vector<std::pair<std::string, std::string>>& variables) {
  TRY_ASSIGN(const UniqueFd file, memory_file(input));
  std::vector<std::string> environment = environment_with(variables);
  std::vector<char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (std::string& one : environment) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  std::string words[] = {"sh", "-c", command};
  char* const argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, file.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  sigset_t signals;
  sigfillset(&signals);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/bin/sh", &files, &attributes, argv, pointers.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return fail_errno(error, "--on-end: /bin/sh");
  return wait_for(pid);
}

}  // namespace filecall::client
