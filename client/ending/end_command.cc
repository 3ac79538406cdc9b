// SPDX-License-Identifier: MIT
#include "client/ending/end_command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "os/io.h"
#include "os/shell_command.h"
#include "os/unique_fd.h"

namespace filecall::client {
namespace {

/// In memory: a command that does not read it makes nobody wait.
Result<UniqueFd> memory_file(const std::string& text) {
  UniqueFd fd(::memfd_create("summary", MFD_CLOEXEC));
  if (!fd.is_open()) return fail_errno(errno, "--on-end: memfd_create");
  TRY(write_all(fd.get(), text, "--on-end: standard input"));
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return fail_errno(errno, "--on-end: lseek");
  return fd;
}

}  // namespace

Result<int> run_end_command(const std::string& command, const std::string& input,
                            const std::vector<std::pair<std::string, std::string>>& variables) {
  TRY_ASSIGN(const UniqueFd file, memory_file(input));
  return run_shell_command(
      {.text = command, .variables = variables, .input = file.get(), .prints_on_error = true},
      "--on-end: /bin/sh");
}

}  // namespace filecall::client
