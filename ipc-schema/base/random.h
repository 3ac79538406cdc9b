// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace filecall {

/// A small seeded generator (SplitMix64, Steele et al. 2014): randomness comes into pure code as a
/// value, so that every decision can be replayed from its seed. Not for secrets. Not thread-safe.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// `digits` lower-case hex digits.
  std::string hex(int digits);

 private:
  std::uint64_t state_;
};

}  // namespace filecall
