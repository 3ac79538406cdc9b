// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker {

/// A declared tool's argv with placeholders. Never a shell: a value becomes an argument (or a part
/// of one) whatever characters it holds.
///
/// - "{name}" as the whole element: the argument; a list becomes an element for each item.
/// - "{name...}" as the whole element: the same, and says that a list is meant.
/// - "--out={name}" within an element: the argument's text; a list is refused.
/// - An argument that is absent (or null) drops every element that names it.
/// - "{{" and "}}" stand for braces; other braces, as in "{print $1}", stand for themselves.
///
/// A value that would start an element with '-' is refused, because the program would take it for
/// an option, unless an element "--" stands before it or the tool says allow_leading_dash.
/// Immutable and pure.
class ArgvTemplate {
 public:
  /// Failure: invalid_argument; empty, a NUL byte, a placeholder in the program's place, or a list
  /// placeholder ("{name...}") that is only a part of its element.
  static Result<ArgvTemplate> parse(const std::vector<std::string>& elements);

  /// `args`: an object that fits the tool's schema. Failure: invalid_argument; the message starts
  /// with the JSON pointer "/params/args/...".
  Result<std::vector<std::string>> expand(const Json& args, bool allow_leading_dash) const;

  /// Names of all placeholders, each once, in order of appearance.
  std::vector<std::string_view> names() const;

 private:
  struct Piece {
    bool is_placeholder = false;
    bool is_list = false;  ///< "{name...}"
    std::string text;      ///< The literal, or the placeholder's name.
  };
  using Element = std::vector<Piece>;

  static Element parse_element(std::string_view text);
  Result<void> expand_element(const Element& element, const Json& args, bool allow_leading_dash,
                              std::vector<std::string>* out) const;

  std::vector<Element> elements_;
};

}  // namespace filecall::worker
