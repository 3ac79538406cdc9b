// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "client/promptfoo/config_node.h"
#include "client/promptfoo/import_files.h"
#include "ipc/json.h"

namespace filecall::client {

/// An assertion as a grader of ours.
struct TakenAssertion {
  std::string name;  ///< Its metric, else its type.
  Json grader;       ///< Without a name and without an expected value.
  /// What is expected (of a judge, the criteria), which may differ from row to row; absent: all
  /// stands in `grader`.
  std::optional<Json> expected{};
  std::string difference{};  ///< What is not the same here; empty: nothing.
  bool asks_judge = false;
};

/// The part of an assertion that is in a table's cell: "contains(0.8): text" as {type, value,
/// threshold}; a text without a type is what the answer equals. Pure.
Json assertion_of_cell(const std::string& cell);

/// `variables`: of its test, for {{places}}. Failure: why it has no grader here.
Result<TakenAssertion> take_assertion(const ConfigNode& assertion, const Json& variables,
                                      ImportFiles& files);

}  // namespace filecall::client
