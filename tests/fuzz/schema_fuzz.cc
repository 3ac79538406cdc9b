// SPDX-License-Identifier: MIT
// JSON Schemas and what is held against them. The bytes are choices of values and of a schema; a
// text that is JSON is taken as it stands as well: {"schema": ..., "value": ...}. Nothing may take
// longer than its bounds.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ipc/limits.h"
#include "ipc/strict_parser.h"
#include "tests/support/schema_inputs.h"

using namespace filecall;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Bytes of their own: a schema takes all that there are, and every value would be null.
  const std::size_t value_bytes = size / 3;
  FuzzedDataProvider for_values(data, value_bytes);
  FuzzedDataProvider for_schema(data + value_bytes, size - value_bytes);
  const auto choosing = [](FuzzedDataProvider& input) {
    return [&input](std::uint64_t bound) {
      return input.ConsumeIntegralInRange<std::uint64_t>(0, bound - 1);
    };
  };
  const Json schema = schema_inputs::Writer(choosing(for_schema)).schema();
  schema_inputs::Writer values(choosing(for_values));
  for (int i = 0; i < 3; ++i) schema_inputs::hold(schema, values.value(3));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = parse_strict(text, limits::kDepth, Strictness::kForeign, "input");
  if (!json || !json->is_object() || !json->contains("schema")) return 0;
  schema_inputs::hold((*json)["schema"], json->value("value", Json()));
  return 0;
}
