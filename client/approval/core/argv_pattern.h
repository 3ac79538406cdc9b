// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/approval/core/argv_reading.h"
#include "ipc/json.h"

namespace filecall::client {

/// The first words of a command, with alternatives for each: `[git, [status, diff], --short]`.
/// Immutable; any thread.
class ArgvPattern {
 public:
  /// nullopt: not a list of texts and lists of texts, or empty.
  static std::optional<ArgvPattern> of(const Json& json);

  /// For rules that deny or prompt: the program by its name, wherever it lies and whatever its
  /// version is; verbs and options in all their spellings; options before,
  /// among and behind the words are passed over; options of the pattern may stand anywhere.
  bool catches(const SeenCommand& command) const;
  /// For rules that allow: the very words at the beginning. Options of the program that change
  /// nothing may stand before its verb; one that could run another program or write a file must be
  /// part of the pattern.
  bool covers(const SeenCommand& command) const;
  /// As many words, and each of them literally.
  bool is_exactly(const std::vector<std::string>& argv) const;

  /// Why a rule must not allow what it names: it is a program that runs whatever it is given, and
  /// the pattern does not say what. Empty: nothing speaks against it.
  std::string too_wide() const;

 private:
  using Word = std::vector<std::string>;  ///< Alternatives.

  bool fits_at(const Word& word, const std::string& text) const;
  bool fits_program(const std::string& text) const;
  static bool fits_target(const std::string& program, const Word& word, const std::string& text);
  /// The word at `i` is an option of the pattern with another value, or negates one:
  /// --dry-run=none, --no-dry-run, -n=false, --dry-run false.
  bool takes_back(const std::vector<std::string>& words, std::size_t i) const;
  bool catches_words(const std::vector<std::string>& words) const;
  bool catches_from(const std::vector<std::string>& words, std::size_t begin) const;

  std::vector<Word> words_;
};

}  // namespace filecall::client
