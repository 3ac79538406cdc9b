// SPDX-License-Identifier: MIT
#include "ipc/schema_validator.h"

#include <utility>

#include "ipc/limits.h"
#include "ipc/schema_check.h"
#include "ipc/schema_rule.h"
#include "ipc/strict_parser.h"

namespace filecall {

SchemaValidator::SchemaValidator(std::unique_ptr<const CompiledSchema> compiled)
    : compiled_(std::move(compiled)) {}
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;
SchemaValidator::~SchemaValidator() = default;

Result<SchemaValidator> SchemaValidator::compile(std::string_view schema_text, SchemaOwner owner) {
  auto parsed = parse_strict(schema_text, limits::kDepth, Strictness::kRequest, "schema");
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, std::move(parsed.error().message));
  }
  return compile(*parsed, owner);
}

Result<SchemaValidator> SchemaValidator::compile(const Json& schema, SchemaOwner owner) {
  TRY_ASSIGN(auto compiled, compile_schema(schema));
  compiled->takes_whole_fractions = owner == SchemaOwner::kOthers;
  return SchemaValidator(std::move(compiled));
}

std::optional<SchemaViolation> SchemaValidator::check(const Json& value,
                                                      std::uint64_t steps_max) const {
  return SchemaCheck(*compiled_, steps_max).run(value);
}

std::size_t SchemaValidator::memory_bytes_max() const {
  constexpr std::size_t kStepBytes = 128;  // A value of JSON in its tree, about.
  return compiled_->rules.size() * sizeof(SchemaRule) * 2 +
         static_cast<std::size_t>(count_steps(compiled_->text)) * kStepBytes +
         (compiled_->patterns.empty() ? 0 : limits::kSchemaPatternMemoryBytes);
}

}  // namespace filecall
