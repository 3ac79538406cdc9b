// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/result.h"
#include "ipc/schema_validator.h"

namespace filecall::worker::llm {

/// Compiled schemas by content: the requests of a batch mostly ask for the same one.
class SchemaCache {
 public:
  explicit SchemaCache(std::size_t capacity = 64) : capacity_(capacity) {}
  /// Failure: invalid_argument, it is not a JSON Schema (draft-07).
  Result<std::shared_ptr<const SchemaValidator>> get(const Json& schema);

 private:
  std::size_t capacity_;
  std::deque<std::pair<Hash128, std::shared_ptr<const SchemaValidator>>> entries_;
};

/// What came of holding an answer's text against the format that was asked for.
struct StructuredAnswer {
  Json parsed;
  std::string complaint;  ///< Empty: it fits.
  std::string pointer;
};
/// Validated once, never repaired. `validator` null: any JSON object will do. Pure.
StructuredAnswer read_structured(const std::string& text, const SchemaValidator* validator);

}  // namespace filecall::worker::llm
