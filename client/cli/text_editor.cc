// SPDX-License-Identifier: MIT
#include "client/cli/text_editor.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "os/shell_command.h"

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
Result<int> run_editor(const std::string& editor, const std::string& path) {
  const auto interrupt = ::signal(SIGINT, SIG_IGN);
  const auto quit = ::signal(SIGQUIT, SIG_IGN);
  auto code = run_shell_command({.text = editor + " \"$1\"", .arguments = {path}}, editor);
  ::signal(SIGINT, interrupt);
  ::signal(SIGQUIT, quit);
  return code;
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
