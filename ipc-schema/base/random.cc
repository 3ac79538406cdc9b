// SPDX-License-Identifier: MIT
#include "base/random.h"

#include "base/check.h"

namespace filecall {

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t bound) {
  CHECK(bound > 0, "an empty range has no element");
  return next() % bound;  // The bias is below 2^-32 for every bound we use.
}

std::string Random::hex(int digits) {
  std::string out;
  for (int i = 0; i < digits; ++i) out += "0123456789abcdef"[below(16)];
  return out;
}

}  // namespace filecall
