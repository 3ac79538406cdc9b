// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/random.h"
#include "tests/support/schema_inputs.h"

namespace filecall {
namespace {

/// FILECALL_RANDOM_COUNT sets the number of pairs; scripts/test --long takes a million.
TEST(SchemaRandom, EverySchemaAndValueGivesAVerdictWithinTheBounds) {
  const char* wanted = std::getenv("FILECALL_RANDOM_COUNT");
  const std::uint64_t count = wanted == nullptr ? 500 : std::strtoull(wanted, nullptr, 10);
  std::uint64_t schemas = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    Random random(seed);
    schema_inputs::Writer writer([&](std::uint64_t bound) { return random.below(bound); });
    const Json schema = writer.schema();
    if (schema_inputs::hold(schema, writer.value(3))) ++schemas;
  }
  EXPECT_GT(schemas, count / 10) << "nearly everything is refused, and nothing else tested";
  EXPECT_LT(schemas, count) << "nothing is refused";
}

}  // namespace
}  // namespace filecall
