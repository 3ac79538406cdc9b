// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace filecall::spool {

/// The names added last, in fixed memory: some thousand of them, each forgotten when another one
/// takes its place. Pure.
class RecentNames {
 public:
  void add(std::string_view name) {
    const std::uint64_t hash = hash64(name);
    places_[hash % kPlaces] = hash;
  }
  /// True for what was added and not forgotten (and, once in 2^50 questions, for something else).
  bool contains(std::string_view name) const {
    const std::uint64_t hash = hash64(name);
    return places_[hash % kPlaces] == hash;
  }

 private:
  static constexpr std::size_t kPlaces = 8192;
  std::array<std::uint64_t, kPlaces> places_{};
};

}  // namespace filecall::spool
