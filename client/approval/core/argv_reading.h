// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace filecall::client {

/// A program that a call would start, directly or through another one (sudo, sh -c, find -exec).
struct SeenCommand {
  std::vector<std::string> words;  ///< The program and its arguments, as they are.
  /// Only passed through by programs that change nothing but time and priority: what is allowed
  /// without them is allowed with them.
  bool is_plain = true;
  /// A word in the middle of something that is not understood: a rule that denies is tried on it,
  /// no other.
  bool is_guess = false;
  /// It is such a program, and runs another one of the list.
  bool is_transparent = false;
};

/// All commands of an argv, the outermost first, and what is not understood of it.
struct ArgvReading {
  std::vector<SeenCommand> commands;
  /// What keeps a rule from allowing it, a sentence each: a script, an unknown option of a wrapper.
  std::vector<std::string> doubts;
};

/// Looks through wrappers (env, sudo, timeout, xargs, find -exec ...), shells' scripts and remote
/// commands. Never fails: what is not understood is a doubt, and everything in it is a guess. Time
/// and memory are linear in the argv's size times a small depth. Pure; any thread.
ArgvReading read_argv(const std::vector<std::string>& argv);

/// Whether the first word of a command is a program that is described here: by its name alone, or
/// where the system has its programs. ./git and /tmp/git may be anything.
bool is_known_program(const std::string& word);

/// Nothing of it is a doubt or a guess, and each program is one that is known here: a rule that
/// names no argv may allow it.
bool is_understood(const ArgvReading& reading);

/// The last component of a path; "rm" of "/bin/rm" and of "rm".
std::string program_name(const std::string& word);

}  // namespace filecall::client
