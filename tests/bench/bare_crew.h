// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bare_answer.h"

namespace filecall::bench {

/// Answers one batch on 16 threads, each answer synced before its rename, and waits for all.
/// The threads live until the process is killed.
class Crew {
 public:
  explicit Crew(const Directories& at) {
    for (int i = 0; i < kThreads; ++i) {
      std::thread([this, at, i] { serve(at, i); }).detach();
    }
  }

  void run(const std::vector<std::string>& batch) {
    std::unique_lock lock(mutex_);
    batch_ = &batch;
    next_ = 0;
    busy_ = kThreads;
    ++round_;
    start_.notify_all();
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  static constexpr int kThreads = 16;

  void serve(const Directories& at, int lane) {
    for (std::uint64_t seen = 0;;) {
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
      }
      for (std::size_t i = next_++; i < batch_->size(); i = next_++) {
        answer(at, (*batch_)[i], lane, true);
      }
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::vector<std::string>* batch_ = nullptr;
  std::atomic<std::size_t> next_{0};
  int busy_ = 0;
  std::uint64_t round_ = 0;
};

}  // namespace filecall::bench
