// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace filecall::client {

/// Calls `visit(index)` once for each index below `size`, on this thread and, for many, on as many
/// others as there are CPUs (at most eight in all), in no order. Returns when all calls have
/// returned. `visit` is safe to call from several threads at once.
template <typename Visit>
void side_by_side(std::size_t size, const Visit& visit) {
  constexpr std::size_t kAtOnce = 256;
  constexpr std::size_t kThreadsMax = 8;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (;;) {
      const std::size_t begin = next.fetch_add(kAtOnce);
      if (begin >= size) return;
      for (std::size_t i = begin; i < std::min(begin + kAtOnce, size); ++i) visit(i);
    }
  };
  const std::size_t cpus = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<std::jthread> others(std::min({cpus, kThreadsMax, size / kAtOnce + 1}) - 1);
  for (std::jthread& other : others) other = std::jthread(work);
  work();
}

}  // namespace filecall::client
