// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace filecall::worker::file {

/// A pattern for paths as .gitignore has them (gitignore(5)): "*" and "?" stand for what is no "/",
/// "[a-z]" and "[!a-z]" for one character of a set, "**" between slashes for any directories, a
/// backslash takes what follows as it is. A pattern with a "/" that is not at its end is compared
/// with the whole path, from where it begins; one without is compared with the last name alone.
/// Linear in the path's length (RE2). Pure; any thread.
class PathGlob {
 public:
  /// Failure: invalid_argument, a set that is not closed, or a pattern that is too long.
  static Result<PathGlob> compile(std::string_view pattern);
  /// A glob of a request: alternatives in braces, and "./" or "/" before it binds it to where paths
  /// begin. Failure also: one that no path can ever fit ("..", "//", "/" at its end, "!" before
  /// it).
  static Result<PathGlob> compile_glob(std::string_view glob);

  /// `path` is relative, without "." and "..", and does not end with "/".
  bool matches(std::string_view path) const;

 private:
  /// What most patterns are is compared without an expression.
  enum class Kind { kName, kNameEnd, kExpression };

  PathGlob() = default;

  Kind kind_ = Kind::kExpression;
  bool is_name_only_ = false;
  std::string text_;                       ///< Of kName and kNameEnd.
  std::shared_ptr<const re2::RE2> regex_;  ///< Of kExpression.
  std::vector<PathGlob> others_;           ///< Alternatives, which fit as well.
};

/// A glob with each of the alternatives that stand in braces ("*.{cc,h}"; they may be nested).
/// Failure: invalid_argument, braces without a comma or without their other end (a backslash before
/// one takes it as it is), or too many alternatives. Pure.
Result<std::vector<std::string>> expand_braces(std::string_view glob);

/// The last name of a path.
std::string_view last_name(std::string_view path);

}  // namespace filecall::worker::file
