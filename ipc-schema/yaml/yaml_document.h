// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall {

/// A YAML text of somebody else's form as JSON, with the line of each value. Anchors and merges
/// (`<<`) are followed. A plain scalar is a number, true, false or null when it looks like one.
/// Pure and immutable; any thread.
class YamlDocument {
 public:
  /// Failures: invalid_argument, not YAML (with line and column), or a key that is no plain text;
  /// resource_exhausted, more than a million values (anchors multiply).
  static Result<YamlDocument> parse(const std::string& text, const std::string& file_name);

  const Json& json() const { return json_; }
  /// Of the value at a JSON pointer, or of the nearest one around it; from 1.
  int line_of(std::string_view pointer) const;

 private:
  Json json_;
  std::map<std::string, int, std::less<>> lines_;
};

/// A value as YAML in blocks. Texts that would be read as something else are quoted. Pure.
std::string yaml_text(const Json& value);

}  // namespace filecall
