// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "client/eval/grader.h"
#include "ipc/schema_validator.h"

namespace filecall::client {

/// "json_schema": the answer is JSON (the worker's `parsed`, or the text without its code fence)
/// and fits the schema.
std::unique_ptr<Grader> make_json_schema_grader(GraderSettings settings, SchemaValidator schema);

/// "json_equal": the value at `pointer` in the answer's JSON equals the expected one. Numbers are
/// equal by value (1 and 1.0), objects whatever the order of their members.
std::unique_ptr<Grader> make_json_equal_grader(GraderSettings settings, std::string pointer,
                                               Expectation expected);

}  // namespace filecall::client
