// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <compare>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace filecall::worker::file {

/// A name in a directory, whatever the paths are that lead to it.
struct PlaceKey {
  dev_t device = 0;
  ino_t directory = 0;
  std::string name;
  auto operator<=>(const PlaceKey&) const = default;
};

/// Which files this process is changing: one change of a file at a time, so that what a change read
/// is what it replaces. It says nothing of other programs. Thread safe.
class PlaceLocks {
 public:
  /// Holds some places until it is destroyed. It outlives no PlaceLocks.
  class Held {
   public:
    Held() = default;
    Held(Held&& other) noexcept;
    Held& operator=(Held&& other) noexcept;
    ~Held();

   private:
    friend class PlaceLocks;
    Held(PlaceLocks* locks, std::vector<PlaceKey> keys);
    void release();

    PlaceLocks* locks_ = nullptr;
    std::vector<PlaceKey> keys_;
  };

  /// Waits until nobody else holds any of them, then takes all at once: two changes that want the
  /// same places in different orders do not wait for each other for ever. Who holds places takes no
  /// more.
  Held hold(std::vector<PlaceKey> keys);

  /// Those of this process.
  static PlaceLocks& of_process();

 private:
  std::mutex mutex_;
  std::condition_variable released_;
  std::set<PlaceKey> held_;
};

}  // namespace filecall::worker::file
