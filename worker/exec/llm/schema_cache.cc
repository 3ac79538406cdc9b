// SPDX-License-Identifier: MIT
#include "worker/exec/llm/schema_cache.h"

#include <algorithm>

#include "worker/exec/json_read.h"

namespace filecall::worker::llm {

Result<std::shared_ptr<const SchemaValidator>> SchemaCache::get(const Json& schema) {
  const Hash128 hash = hash128(dump_json(schema));
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& entry) { return entry.first == hash; });
  if (found != entries_.end()) return found->second;
  TRY_ASSIGN(SchemaValidator compiled, SchemaValidator::compile(schema));
  auto validator = std::make_shared<const SchemaValidator>(std::move(compiled));
  if (entries_.size() >= capacity_) entries_.pop_front();
  entries_.emplace_back(hash, validator);
  return std::shared_ptr<const SchemaValidator>(validator);
}

StructuredAnswer read_structured(const std::string& text, const SchemaValidator* validator) {
  auto parsed = parse_foreign(text);
  if (!parsed) return {nullptr, "the answer is not JSON", ""};
  if (validator == nullptr) {
    if (!parsed->is_object()) return {nullptr, "the answer is no JSON object", ""};
  } else if (const auto violation = validator->check(*parsed)) {
    return {nullptr, violation->rule, violation->pointer};
  }
  return {std::move(*parsed), "", ""};
}

}  // namespace filecall::worker::llm
