// SPDX-License-Identifier: MIT
#include "client/cli/text_editor.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"

extern char** environ;

namespace filecall::client {
namespace {

std::string named_editor() {
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

Result<std::string> write_copy(const std::string& text) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/filecall-edit-XXXXXX.json",
                                 folder != nullptr && *folder != '\0' ? folder : "/tmp");
  constexpr int kEnding = 5;
  const UniqueFd fd(::mkostemps(path.data(), kEnding, O_CLOEXEC));
  if (!fd.is_open()) return fail_errno(errno, path);
  TRY(write_all(fd.get(), text, path));
  return path;
}

/// The editor's exit code. Ctrl-C is the editor's.
Result<int> run_editor(const std::string& editor, std::string path) {
  std::string words[] = {"sh", "-c", editor + " \"$1\"", "sh"};
  char* const argv[] = {words[0].data(), words[1].data(), words[2].data(),
                        words[3].data(), path.data(),     nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const auto interrupt = ::signal(SIGINT, SIG_IGN);
  const auto quit = ::signal(SIGQUIT, SIG_IGN);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/bin/sh", nullptr, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  int waited = error;
  while (error == 0 && ::waitpid(pid, &status, 0) < 0) {
    if (errno == EINTR) continue;
    waited = errno;
    break;
  }
  ::signal(SIGINT, interrupt);
  ::signal(SIGQUIT, quit);
  if (waited != 0) return fail_errno(waited, editor);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void EditedText::remove() const { ::unlink(path.c_str()); }

Result<EditedText> edit_text(const std::string& text) {
  const std::string editor = named_editor();
  if (editor.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "edit: neither $VISUAL nor $EDITOR names an editor; set one, or write e.g. --set "
                "params.text=hello");
  }
  TRY_ASSIGN(std::string path, write_copy(text));
  const auto code = run_editor(editor, path);
  if (!code || *code != 0) {
    ::unlink(path.c_str());
    if (!code) return Unexpected(code.error());
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("edit: '{}' ended with exit code {}; nothing was done", editor, *code));
  }
  // Editors write a new file in its place.
  auto edited = read_regular_file(path, limits::kRequestBytesMax);
  if (!edited) return Unexpected(edited.error());
  return EditedText{std::move(*edited), std::move(path)};
}

}  // namespace filecall::client
