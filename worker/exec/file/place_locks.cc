// SPDX-License-Identifier: MIT
#include "worker/exec/file/place_locks.h"

#include <algorithm>
#include <utility>

namespace filecall::worker::file {

PlaceLocks::Held::Held(PlaceLocks* locks, std::vector<PlaceKey> keys)
    : locks_(locks), keys_(std::move(keys)) {}

PlaceLocks::Held::Held(Held&& other) noexcept
    : locks_(std::exchange(other.locks_, nullptr)), keys_(std::move(other.keys_)) {}

PlaceLocks::Held& PlaceLocks::Held::operator=(Held&& other) noexcept {
  if (this != &other) {
    release();
    locks_ = std::exchange(other.locks_, nullptr);
    keys_ = std::move(other.keys_);
  }
  return *this;
}

PlaceLocks::Held::~Held() { release(); }

void PlaceLocks::Held::release() {
  if (locks_ == nullptr) return;
  {
    const std::scoped_lock guard(locks_->mutex_);
    for (const PlaceKey& key : keys_) locks_->held_.erase(key);
  }
  locks_->released_.notify_all();
  locks_ = nullptr;
}

PlaceLocks::Held PlaceLocks::hold(std::vector<PlaceKey> keys) {
  std::unique_lock guard(mutex_);
  released_.wait(guard, [&] {
    return std::ranges::none_of(keys, [&](const PlaceKey& key) { return held_.contains(key); });
  });
  held_.insert(keys.begin(), keys.end());
  return {this, std::move(keys)};
}

PlaceLocks& PlaceLocks::of_process() {
  static PlaceLocks locks;
  return locks;
}

}  // namespace filecall::worker::file
