// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace filecall {

/// A regular expression of a JSON Schema, matched by RE2: in time linear in the text, without
/// recursion, in bounded memory. Read as ECMA 262 has it as far as RE2 can: no look-around and no
/// back references. Immutable; may be used from many threads.
class SchemaPattern {
 public:
  /// `memory_bytes_max` is for the compiled expression and for what matching keeps.
  /// Failure: invalid_argument; it is too long, too large, or nothing that RE2 understands.
  static Result<SchemaPattern> compile(const std::string& expression, std::size_t memory_bytes_max);

  SchemaPattern(SchemaPattern&&) noexcept;
  ~SchemaPattern();

  /// Anywhere in the text, as the schema's `pattern` means it.
  bool is_found_in(std::string_view text) const;
  /// What matching a text of this size costs, in the steps of a check.
  std::uint64_t steps_for(std::size_t text_bytes) const;
  /// As the schema has it.
  const std::string& text() const { return text_; }

 private:
  SchemaPattern(std::string text, std::unique_ptr<const re2::RE2> compiled);
  std::string text_;
  std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace filecall
