// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace filecall {

/// How many threads share some work, the caller's included, and how much each takes at a time.
struct Threads {
  std::size_t count = 1;
  std::size_t at_once = 1;
};

/// Calls `visit(index)` once for each index below `size`, on this thread and the others, in no
/// order. Returns when all calls have returned. `visit` is safe to call from several threads at
/// once and throws nothing. Where the system gives no more threads (a limit of processes) those
/// that there are do all of it.
template <typename Visit>
void side_by_side(std::size_t size, Threads threads, const Visit& visit) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (;;) {
      const std::size_t begin = next.fetch_add(threads.at_once);
      if (begin >= size) return;
      for (std::size_t i = begin; i < std::min(begin + threads.at_once, size); ++i) visit(i);
    }
  };
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < std::min(threads.count, size)) others.emplace_back(work);
  } catch (const std::system_error&) {
    // Those that there are.
  }
  work();
}

}  // namespace filecall
