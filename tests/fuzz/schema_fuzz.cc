// SPDX-License-Identifier: MIT
// JSON Schemas and what is held against them. The bytes are choices of a schema and of values; a
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
  FuzzedDataProvider input(data, size);
  schema_inputs::Writer writer([&](std::uint64_t bound) {
    return input.ConsumeIntegralInRange<std::uint64_t>(0, bound - 1);
  });
  const Json schema = writer.schema();
  for (int i = 0; i < 3; ++i) schema_inputs::hold(schema, writer.value(3));
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = parse_strict(text, limits::kDepth, Strictness::kForeign, "input");
  if (!json || !json->is_object() || !json->contains("schema")) return 0;
  schema_inputs::hold((*json)["schema"], json->value("value", Json()));
  return 0;
}
