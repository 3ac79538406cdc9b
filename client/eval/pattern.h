// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace filecall::client {

/// A regular expression (syntax: https://github.com/google/re2/wiki/Syntax). By RE2, because what
/// it is matched against comes from models: its time is linear in the text and its memory bounded,
/// where a matcher that backtracks or recurses (the standard library's does both) can be made to
/// hang or to exhaust the stack. The price: no back references, no look-around. Immutable; any
/// thread; copies share.
class Pattern {
 public:
  struct Options {
    bool ignore_case = false;
    bool dot_is_any = false;     ///< '.' matches a line break too.
    bool is_multi_line = false;  ///< '^' and '$' match at line breaks too.
  };
  /// Failure: invalid_argument, with what is wrong with the expression.
  static Result<Pattern> compile(const std::string& expression, const Options& options);

  bool is_found_in(std::string_view text) const;
  bool matches_all_of(std::string_view text) const;
  /// The first group of the first (or last) match, the whole match when the expression has no
  /// group. nullopt: no match. A view into `text`.
  std::optional<std::string_view> extract(std::string_view text, bool last) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace filecall::client
