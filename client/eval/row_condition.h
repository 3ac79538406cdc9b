// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "yaml/yaml_section.h"

namespace filecall::client {

/// Which rows a grader is for, by their columns (metadata.vars) and the rest of their metadata.
/// Values are compared as texts: 3 and "3" are the same. A column that holds a list has each of its
/// entries as a value. Pure.
struct RowCondition {
  struct Part {
    std::string column;
    std::vector<std::string> values;  ///< Any of them.
  };
  std::vector<Part> when{};    ///< All hold.
  std::vector<Part> unless{};  ///< Not all hold. Empty: no more is asked.

  bool any() const { return !when.empty() || !unless.empty(); }
  /// `metadata`: a request's, as its run has it.
  bool fits(const Json& metadata) const;
};

/// Reads `when` and `unless`; complains about what is none.
RowCondition read_row_condition(YamlSection& section);

/// "category=math or physics, level=3, unless lang=de": for people; empty: every row.
std::string condition_text(const RowCondition& condition);

}  // namespace filecall::client
