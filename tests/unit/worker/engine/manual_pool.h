// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

#include "worker/engine/pool.h"

namespace filecall::worker {

/// A pool without threads: a test says when work is done, and in which order.
class ManualPool final : public Pool {
 public:
  void offload(std::function<void()> work, std::function<void()> after) override {
    tasks_.emplace_back(std::move(work), std::move(after));
  }
  std::size_t size() const { return tasks_.size(); }

  /// Does one task: the oldest, or the `n`-th.
  void run_one(std::size_t n = 0) {
    const auto at = tasks_.begin() + static_cast<std::ptrdiff_t>(n);
    auto [work, after] = std::move(*at);
    tasks_.erase(at);
    work();
    after();
  }
  void run_all() {
    while (!tasks_.empty()) run_one();
  }

 private:
  std::deque<std::pair<std::function<void()>, std::function<void()>>> tasks_;
};

}  // namespace filecall::worker
