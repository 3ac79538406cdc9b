// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace filecall::bench {

/// Does `count` things on 16 threads and waits for all: `work(index, lane)`, where no two threads
/// have the same lane.
class Crew {
 public:
  explicit Crew(std::function<void(std::size_t index, int lane)> work) : work_(std::move(work)) {
    for (int i = 0; i < kThreads; ++i) {
      threads_.emplace_back([this, i] { serve(i); });
    }
  }
  ~Crew() {
    {
      std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    start_.notify_all();
  }

  void run(std::size_t count) {
    std::unique_lock lock(mutex_);
    count_ = count;
    next_ = 0;
    busy_ = kThreads;
    ++round_;
    start_.notify_all();
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  static constexpr int kThreads = 16;

  void serve(int lane) {
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return is_over_ || round_ != seen; });
        if (is_over_) return;
        seen = round_;
      }
      for (std::size_t i = next_++; i < count_; i = next_++) work_(i, lane);
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::function<void(std::size_t, int)> work_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  int busy_ = 0;
  std::uint64_t round_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;  // Last: joined before what they use is gone.
};

}  // namespace filecall::bench
