// SPDX-License-Identifier: MIT
// Without it the library prints and aborts where a schema is wrong.
#define VALIJSON_USE_EXCEPTIONS 1

#include "ipc/schema_validator.h"
#include "base/result.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/schema_words.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

using Adapter = valijson::adapters::NlohmannJsonAdapter;

/// The schema asks for no more than an object, as system.echo's does.
bool takes_any_object(const Json& schema) {
  constexpr std::string_view kNotes[] = {"$schema",     "$id",     "$comment", "title",
                                         "description", "default", "examples", "type"};
  for (const auto& [keyword, rule] : schema.items()) {
    if (std::find(std::begin(kNotes), std::end(kNotes), keyword) == std::end(kNotes)) return false;
  }
  return schema.value("type", Json()) == "object";
}

/// Throws when a regular expression of the schema is none: the library would find that out only
/// when it meets a value.
void try_patterns(const Json& schema) {
  if (!schema.is_structured()) return;
  const auto pattern = schema.is_object() ? schema.find("pattern") : schema.end();
  if (pattern != schema.end() && pattern->is_string()) {
    valijson::Schema alone;
    valijson::SchemaParser().populateSchema(Adapter(Json{{"pattern", *pattern}}), alone);
    valijson::Validator().validate(alone, Adapter(Json("")), nullptr);
  }
  for (const Json& inner : schema) try_patterns(inner);
}

/// The library's own words, for what explain_violation() has none. Its path is "<root>", "[argv]",
/// "[0]".
SchemaViolation words_of(const valijson::ValidationResults::Error& error) {
  std::string pointer;
  for (std::size_t i = 1; i < error.context.size(); ++i) {
    std::string_view step = error.context[i];
    if (step.size() >= 2 && step.front() == '[') step = step.substr(1, step.size() - 2);
    pointer += pointer_token(step);
  }
  return {pointer, excerpt(error.description, 300)};
}

}  // namespace

struct SchemaValidator::Compiled {
  valijson::Schema schema;
  Json text;
  bool takes_any_object = false;
  bool uses_patterns = false;
};

SchemaValidator::SchemaValidator(std::unique_ptr<Compiled> compiled)
    : compiled_(std::move(compiled)) {}
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;
SchemaValidator::~SchemaValidator() = default;

Result<SchemaValidator> SchemaValidator::compile(std::string_view schema_text) {
  auto parsed = parse_strict(schema_text, limits::kDepth, Strictness::kRequest, "schema");
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument, std::move(parsed.error().message));
  }
  return compile(*parsed);
}

Result<SchemaValidator> SchemaValidator::compile(const Json& schema) {
  if (!schema.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "schema: must be a JSON object");
  }
  try {
    if (has_circle(schema)) {
      return fail(ErrorCode::kInvalidArgument,
                  "schema: a $ref leads back to itself; let it go through a member or an element");
    }
    auto compiled = std::make_unique<Compiled>();
    // Without a fetch function the library refuses remote references.
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(Adapter(schema), compiled->schema);
    compiled->text = schema;
    compiled->takes_any_object = takes_any_object(schema);
    compiled->uses_patterns = uses_patterns(schema);
    if (compiled->uses_patterns) try_patterns(schema);
    return SchemaValidator(std::move(compiled));
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("schema: not a JSON Schema (draft-07): {}", excerpt(e.what(), 300)));
  }
}

std::optional<SchemaViolation> SchemaValidator::check(const Json& value) const {
  if (compiled_->takes_any_object && value.is_object()) return std::nullopt;
  try {
    if (compiled_->uses_patterns) {
      if (auto violation = find_long_subject(compiled_->text, value)) return violation;
    }
    // A Validator keeps a cache that is not thread-safe, so each check has its own.
    if (valijson::Validator().validate(compiled_->schema, Adapter(value), nullptr)) {
      return std::nullopt;
    }
    if (auto violation = explain_violation(compiled_->text, value)) return violation;
    valijson::ValidationResults results;
    valijson::Validator().validate(compiled_->schema, Adapter(value), &results);
    valijson::ValidationResults::Error first;
    if (results.popError(first)) return words_of(first);
    return SchemaViolation{"", "does not fit the schema"};
  } catch (const std::exception& e) {
    return SchemaViolation{"", fmt::format("cannot be checked: {}", excerpt(e.what(), 300))};
  }
}

}  // namespace filecall
