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

namespace filecall {

struct SchemaValidator::Compiled {
  valijson::Schema schema;
};

namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// The library writes a path as "<root>", "[\"key\"]" and "[3]"; people get a JSON pointer.
std::string to_pointer(const std::vector<std::string>& context) {
  std::string pointer;
  for (const std::string& step : context) {
    if (step.size() < 3 || step.front() != '[') continue;
    std::string_view token(step);
    token = token.substr(1, token.size() - 2);
    if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.size() - 2);
    pointer += '/';
    for (const char c : token) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer += c;
      }
    }
  }
  return pointer;
}

}  // namespace

SchemaValidator::SchemaValidator(std::unique_ptr<Compiled> compiled)
    : compiled_(std::move(compiled)) {}
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;
SchemaValidator::~SchemaValidator() = default;

Result<SchemaValidator> SchemaValidator::compile(std::string_view schema_text) {
  const Json schema = Json::parse(schema_text.begin(), schema_text.end(), nullptr, false);
  if (schema.is_discarded()) return fail(ErrorCode::kInvalidArgument, "schema: not JSON");
  return compile(schema);
}

Result<SchemaValidator> SchemaValidator::compile(const Json& schema) {
  if (!schema.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "schema: must be a JSON object");
  }
  auto compiled = std::make_unique<Compiled>();
  try {  // The library reports bad schemas, and remote references, by exception only.
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    parser.populateSchema(Adapter(schema), compiled->schema);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("schema: {}", e.what()));
  }
  return SchemaValidator(std::move(compiled));
}

std::optional<SchemaViolation> SchemaValidator::check(const Json& value) const {
  valijson::ValidationResults results;
  try {
    // Strong types: "42" is not 42.
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    if (validator.validate(compiled_->schema, Adapter(value), &results)) return std::nullopt;
  } catch (const std::exception& e) {
    return SchemaViolation{"", e.what()};
  }
  valijson::ValidationResults::Error error;
  // Errors are pushed from the inside out: the first is the most precise.
  if (!results.popError(error)) return SchemaViolation{"", "does not fit the schema"};
  return SchemaViolation{to_pointer(error.context), error.description};
}

}  // namespace filecall
