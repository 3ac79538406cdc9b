// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/schema_limits.h"
#include "ipc/schema_violation.h"

namespace filecall {

struct CompiledSchema;

/// Whose schema it is. In draft-07 1.0 is an integer; in our own it is none, because executors
/// read integers that are written as such.
enum class SchemaOwner : bool { kOurs, kOthers };

/// A compiled JSON Schema (draft-07). Immutable after compile(); check() may be called from many
/// threads. Schema and value may come from anybody: references lead only into the schema itself,
/// patterns are matched by RE2, and time, depth and memory are bounded (schema_limits.h). Both
/// calls may still take a second: what comes from outside is compiled and checked on a pool's
/// thread.
class SchemaValidator {
 public:
  /// Failure: invalid_argument, the text is not JSON, not a schema, or beyond the bounds.
  static Result<SchemaValidator> compile(std::string_view schema_text,
                                         SchemaOwner owner = SchemaOwner::kOthers);
  static Result<SchemaValidator> compile(const Json& schema,
                                         SchemaOwner owner = SchemaOwner::kOthers);

  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;
  ~SchemaValidator();

  /// nullopt: the value conforms. A check that would take more than `steps_max` steps is a
  /// violation that says so.
  std::optional<SchemaViolation> check(const Json& value,
                                       std::uint64_t steps_max = limits::kSchemaStepsMax) const;
  /// What it may come to take of memory.
  std::size_t memory_bytes_max() const;

 private:
  explicit SchemaValidator(std::unique_ptr<const CompiledSchema> compiled);
  std::unique_ptr<const CompiledSchema> compiled_;
};

}  // namespace filecall
