// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace filecall {

/// A command that the user named, for /bin/sh -c.
struct ShellCommand {
  std::string text;
  std::vector<std::string> arguments{};  ///< "$1" and so on.
  /// Beside this program's environment.
  std::vector<std::pair<std::string, std::string>> variables{};
  int input = -1;                ///< A descriptor to read from; -1: this program's standard input.
  bool prints_on_error = false;  ///< Both of its outputs are this program's standard error.
};

/// Starts it with no signal ignored or blocked, and waits until it ends, however long that takes.
/// The exit code; 128 and the signal's number when a signal ended it. Failure: errno's, with
/// `subject` before it (there is no shell, or no memory).
Result<int> run_shell_command(const ShellCommand& command, const std::string& subject);

}  // namespace filecall
