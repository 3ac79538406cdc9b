// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

namespace filecall::worker::kube {

/// How many elements two sequences begin and end with alike; no element counts for both.
struct EqualEnds {
  std::size_t begin = 0, end = 0;
};

template <typename Sequence>
EqualEnds equal_ends(const Sequence& a, const Sequence& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  EqualEnds same;
  while (same.begin < shorter && a[same.begin] == b[same.begin]) ++same.begin;
  while (same.end < shorter - same.begin &&
         a[a.size() - 1 - same.end] == b[b.size() - 1 - same.end]) {
    ++same.end;
  }
  return same;
}

}  // namespace filecall::worker::kube
