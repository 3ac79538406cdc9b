// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "base/check.h"

namespace filecall {

/// A first-in first-out queue that never grows past its capacity: the caller asks for room first,
/// which is how back-pressure travels to where the work comes from. Not thread-safe.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {
    CHECK(capacity > 0, "a queue without room can hold nothing");
  }

  std::size_t size() const { return items_.size(); }
  std::size_t room() const { return capacity_ - items_.size(); }
  bool empty() const { return items_.empty(); }

  /// Pushing without room is a programmer error.
  void push(T item) {
    CHECK(room() > 0, "ask for room before pushing");
    items_.push_back(std::move(item));
  }
  /// Popping from an empty queue is a programmer error.
  T pop() {
    CHECK(!items_.empty(), "nothing to pop");
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::size_t capacity_;
  std::deque<T> items_;
};

}  // namespace filecall
