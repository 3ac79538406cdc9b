// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// How a program finds the other program that it runs. Lists are separated by spaces; a program is
/// named without its path.
struct WrapperModel {
  std::string_view name{};
  std::string_view valued{};  ///< Options that take the next word, or what is attached to them.
  std::string_view flags{};   ///< Options without one; a letter may stand in a cluster.
  int operands = 0;           ///< Words before the program: a duration, a host.
  bool assigns = false;       ///< NAME=VALUE may stand before the program.
  bool is_transparent = false;
  /// Options whose value is a script of a shell.
  std::string_view scripts{};
  /// What follows is one script, its words joined (ssh, watch), not a program and its words.
  bool joins = false;
};

/// A program with options before its verb: git -C DIR push.
struct VerbModel {
  std::string_view name{};
  std::string_view valued{};
  std::string_view flags{};
  std::string_view harmless{};  ///< Of the flags, those that an allow rule passes over.
};

/// nullptr: there is no such model.
const WrapperModel* find_wrapper(std::string_view program);
const VerbModel* find_verb_program(std::string_view program);

/// Where the verb stands when the options before it are taken off; the size when there is none.
/// `is_clear` is false when one of them is not known.
std::size_t verb_place(const std::vector<std::string>& words, const VerbModel& model,
                       bool harmless_only, bool& is_clear);

/// It runs a text that it is given, in the language of a shell.
bool is_shell(std::string_view program);
/// The same in a language of its own (python, perl, awk).
bool is_interpreter(std::string_view program);
/// One of the words is a verb of the program that runs what is behind it (npm exec).
bool runs_by_verb(std::string_view program, const std::vector<std::string>& words);
/// It is described here, or known to run none of its operands (cat, grep).
bool is_described(std::string_view program);
/// A second operand names a file that the program writes, and there is one (uniq, xxd).
bool writes_operand(std::string_view program, const std::vector<std::string>& words);
/// "python" of "python3.11".
std::string_view unversioned(std::string_view program);
/// Its targets may stand in any order (make, mvn).
bool has_free_order(std::string_view program);

/// Whether `list` has the word `name`, separated by spaces.
bool has_word(std::string_view list, std::string_view name);

}  // namespace filecall::client
