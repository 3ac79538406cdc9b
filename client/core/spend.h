// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace filecall::client {

/// What calls of language models used up, summed. Prices are US$.
struct Spend {
  std::int64_t calls = 0;         ///< Answers that said what they used, failed attempts too.
  std::int64_t input_tokens = 0;  ///< Cached ones included.
  std::int64_t output_tokens = 0;
  double cost = 0;
  std::int64_t unpriced = 0;  ///< Calls without a known cost: it is not part of `cost`.

  std::int64_t tokens() const { return input_tokens + output_tokens; }
  Spend& operator+=(const Spend& other);
  bool operator==(const Spend&) const = default;
};

}  // namespace filecall::client
