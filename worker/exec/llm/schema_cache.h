// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "ipc/schema_validator.h"

namespace filecall::worker::llm {

/// Compiled schemas by content: the requests of a batch mostly ask for the same one. Keeps the
/// last ones, of as many bytes as they may come to take together.
class SchemaCache {
 public:
  explicit SchemaCache(std::size_t capacity = 64, std::size_t bytes_max = 128 * 1024 * 1024)
      : capacity_(capacity), bytes_max_(bytes_max) {}

  static Hash128 hash_of(const Json& schema);
  /// Null: not kept.
  std::shared_ptr<const SchemaValidator> find(const Hash128& hash) const;
  void keep(const Hash128& hash, std::shared_ptr<const SchemaValidator> validator);

 private:
  struct Entry {
    Hash128 hash;
    std::shared_ptr<const SchemaValidator> validator;
    std::size_t bytes;
  };
  std::size_t capacity_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::deque<Entry> entries_;
};

/// The outcome of checking an answer's text against the format that was asked for.
struct StructuredAnswer {
  Json parsed;
  std::string complaint;  ///< Empty: it fits.
  std::string pointer;
};
/// Validated once, never repaired. `validator` null: any JSON object will do. Pure.
StructuredAnswer read_structured(const std::string& text, const SchemaValidator* validator);

}  // namespace filecall::worker::llm
