// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

/// What a JSON Schema may come to; its author is not trusted.
namespace filecall::limits {

/// The schemas in one text, its different regular expressions, the bytes of one of them, and the
/// memory of all of them together.
inline constexpr std::size_t kSchemaRulesMax = 20'000;
inline constexpr std::size_t kSchemaPatternsMax = 256;
inline constexpr std::size_t kSchemaPatternBytesMax = 4096;
inline constexpr std::size_t kSchemaPatternMemoryBytes = 8 * 1024 * 1024;
/// Steps of one check: a rule applied to a value, an element compared; some 50 ns each.
inline constexpr std::uint64_t kSchemaStepsMax = 5'000'000;
/// For schemas of our own, in which every value meets a few rules: as large a value as a request
/// may be is checked to its end.
inline constexpr std::uint64_t kOwnSchemaStepsMax = 10'000'000'000;
/// How deep rules may nest in rules and values in values while a check is made.
inline constexpr int kSchemaDepthMax = 1000;

}  // namespace filecall::limits
