// SPDX-License-Identifier: MIT
#include "worker/exec/llm/schema_cache.h"

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker::llm {

Hash128 SchemaCache::hash_of(const Json& schema) { return hash128(dump_json(schema)); }

std::shared_ptr<const SchemaValidator> SchemaCache::find(const Hash128& hash) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.hash == hash; });
  return found == entries_.end() ? nullptr : found->validator;
}

void SchemaCache::keep(const Hash128& hash, std::shared_ptr<const SchemaValidator> validator) {
  const std::size_t bytes = validator->memory_bytes_max();
  if (bytes > bytes_max_ || find(hash)) return;
  while (entries_.size() >= capacity_ || bytes_ + bytes > bytes_max_) {
    bytes_ -= entries_.front().bytes;
    entries_.pop_front();
  }
  bytes_ += bytes;
  entries_.push_back({hash, std::move(validator), bytes});
}

StructuredAnswer read_structured(const std::string& text, const SchemaValidator* validator) {
  auto parsed = parse_foreign(text);
  if (!parsed) return {nullptr, "the text is not JSON", ""};
  if (validator == nullptr) {
    if (!parsed->is_object()) return {nullptr, "the text is not a JSON object", ""};
  } else if (const auto violation = validator->check(*parsed)) {
    return {nullptr, violation->rule, violation->pointer};
  }
  return {std::move(*parsed), "", ""};
}

}  // namespace filecall::worker::llm
