// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

#include "os/side_by_side.h"

namespace filecall::client {

/// side_by_side() of os/ for what is quick and needs processors: on as many threads as there are
/// CPUs (at most eight in all), and on this one alone for few.
template <typename Visit>
void side_by_side(std::size_t size, const Visit& visit) {
  constexpr std::size_t kAtOnce = 256;
  constexpr std::size_t kThreadsMax = 8;
  const std::size_t cpus = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  filecall::side_by_side(size, {std::min({cpus, kThreadsMax, size / kAtOnce + 1}), kAtOnce}, visit);
}

}  // namespace filecall::client
