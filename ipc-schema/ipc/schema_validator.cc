// SPDX-License-Identifier: MIT
#include "ipc/schema_validator.h"

#include <fmt/core.h>

#include <exception>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <variant>

#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// The library's path is "<root>", "[argv]", "[0]".
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (std::size_t i = 1; i < context.size(); ++i) {
    std::string_view step = context[i];
    if (step.size() >= 2 && step.front() == '[') step = step.substr(1, step.size() - 2);
    pointer += pointer_token(step);
  }
  return pointer;
}

}  // namespace

struct SchemaValidator::Compiled {
  valijson::Schema schema;
};

SchemaValidator::SchemaValidator(std::unique_ptr<Compiled> compiled)
    : compiled_(std::move(compiled)) {}
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;
SchemaValidator::~SchemaValidator() = default;

Result<SchemaValidator> SchemaValidator::compile(std::string_view schema_text) {
  auto parsed = parse_strict(schema_text, limits::kDepth, Strictness::kRequest, "schema");
  if (auto* fault = std::get_if<RequestFault>(&parsed)) {
    return fail(ErrorCode::kInvalidArgument, std::move(fault->message));
  }
  return compile(*std::get_if<Json>(&parsed));
}

Result<SchemaValidator> SchemaValidator::compile(const Json& schema) {
  try {
    auto compiled = std::make_unique<Compiled>();
    // Without a fetch function the library refuses remote references.
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(Adapter(schema), compiled->schema);
    return SchemaValidator(std::move(compiled));
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("schema: not a JSON Schema (draft-07): {}", excerpt(e.what(), 300)));
  }
}

std::optional<SchemaViolation> SchemaValidator::check(const Json& value) const {
  try {
    // A Validator keeps a cache that is not thread-safe, so each check has its own.
    if (valijson::Validator().validate(compiled_->schema, Adapter(value), nullptr)) {
      return std::nullopt;
    }
    valijson::ValidationResults results;
    valijson::Validator().validate(compiled_->schema, Adapter(value), &results);
    valijson::ValidationResults::Error first;
    if (results.popError(first)) {
      return SchemaViolation{pointer_of(first.context), excerpt(first.description, 300)};
    }
    return SchemaViolation{"", "does not fit the schema"};
  } catch (const std::exception& e) {
    return SchemaViolation{"", fmt::format("cannot be checked: {}", excerpt(e.what(), 300))};
  }
}

}  // namespace filecall
