// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

namespace filecall::worker::file {

/// The text that an answer may still take (file.limits.read_bytes). The first piece is always
/// taken, so that every answer has something; after one that has no room none is taken, so that an
/// answer has a beginning and no holes.
class AnswerRoom {
 public:
  explicit AnswerRoom(std::size_t bytes) : left_(bytes) {}

  /// Whether there is room for a piece of text.
  bool take(std::size_t bytes) {
    is_full_ = is_full_ || (!is_first_ && bytes > left_);
    if (is_full_) return false;
    is_first_ = false;
    left_ -= bytes < left_ ? bytes : left_;
    return true;
  }
  bool is_full() const { return is_full_; }

 private:
  std::size_t left_;
  bool is_first_ = true;
  bool is_full_ = false;
};

/// What pieces of work that run side by side have for one answer, in which their order counts.
/// Thread safe.
class FilledOrder {
 public:
  FilledOrder(std::size_t bytes, std::size_t count) : bytes_left_(bytes), count_left_(count) {}

  /// Piece `number` is ready; each is noted once.
  void note(std::size_t number, std::size_t bytes, std::size_t count) {
    const std::scoped_lock guard(mutex_);
    ready_[number] = {bytes, count};
    for (auto at = ready_.begin(); at != ready_.end() && at->first == next_; ++next_) {
      bytes_left_ -= at->second.bytes < bytes_left_ ? at->second.bytes : bytes_left_;
      count_left_ -= at->second.count < count_left_ ? at->second.count : count_left_;
      at = ready_.erase(at);
    }
  }
  /// Whether the pieces before those that are being worked on fill the answer by themselves.
  bool is_full() {
    const std::scoped_lock guard(mutex_);
    return bytes_left_ == 0 || count_left_ == 0;
  }

 private:
  struct Size {
    std::size_t bytes = 0;
    std::size_t count = 0;
  };

  std::mutex mutex_;
  std::map<std::size_t, Size> ready_;  ///< Behind one that is not ready.
  std::size_t next_ = 0;
  std::size_t bytes_left_;
  std::size_t count_left_;
};

}  // namespace filecall::worker::file
