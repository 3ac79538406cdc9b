// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace filecall::worker::llm {

/// What the named groups of patterns matched, by name.
using ScriptValues = std::map<std::string, std::string, std::less<>>;

/// A regular expression of a script (RE2's syntax, https://github.com/google/re2/wiki/Syntax):
/// linear in the text, whatever the expression. Immutable; copies share it.
class ScriptPattern {
 public:
  /// Failure: why it is none, for people.
  static Result<ScriptPattern, std::string> compile(std::string_view text);

  /// Whether it is found anywhere in `text`; adds what its named groups matched.
  bool find_in(std::string_view text, ScriptValues& values) const;

 private:
  explicit ScriptPattern(std::shared_ptr<const re2::RE2> compiled);
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace filecall::worker::llm
