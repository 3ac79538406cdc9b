// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall {

/// Where and how a value breaks its schema; the first violation in document order.
struct SchemaViolation {
  std::string pointer;  ///< JSON pointer (RFC 6901) into the checked value; "" is the whole.
  std::string rule;     ///< For people, e.g. "'argv' must have at least 1 element".
};

/// A compiled JSON Schema (draft-07). Immutable after compile(); check() may be called from many
/// threads. Remote references are refused.
class SchemaValidator {
 public:
  /// Failure: invalid_argument, the text is not JSON or not a schema.
  static Result<SchemaValidator> compile(std::string_view schema_text);
  static Result<SchemaValidator> compile(const Json& schema);

  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;
  ~SchemaValidator();

  /// nullopt: the value conforms.
  std::optional<SchemaViolation> check(const Json& value) const;

 private:
  struct Compiled;
  explicit SchemaValidator(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace filecall
