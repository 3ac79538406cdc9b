// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

/// What programs take for the same, as lists of words separated by spaces. Data; any thread.
namespace filecall::client {

/// A verb, and what else it is: `also` says nothing of `verb` unless `is_mutual`.
struct SpellingRow {
  std::string_view programs;
  std::string_view verb;
  std::string_view also;
  bool is_mutual = false;
};

/// A program that is another one, maybe with a verb.
struct ProgramRow {
  std::string_view program;
  std::string_view also;
};

/// Verbs that a program knows. What begins one of them is that verb when `is_shortened`.
struct VerbsRow {
  std::string_view program;
  std::string_view verbs;
  bool is_shortened = false;
};

struct OptionRow {
  std::string_view programs;
  std::string_view options;
};

std::span<const SpellingRow> spelling_rows();
std::span<const ProgramRow> program_rows();
std::span<const VerbsRow> verbs_rows();
std::span<const OptionRow> option_rows();

}  // namespace filecall::client
