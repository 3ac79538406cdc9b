// SPDX-License-Identifier: MIT
#include "client/engine/drop_crew.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "ipc/limits.h"
#include "spool/drop.h"

namespace filecall::client {
namespace {

// Takes drops off the common list until none is left.
class Crew {
 public:
  Crew(const spool::Directories& directories, std::vector<Drop>& drops,
       spool::Durability durability)
      : directories_(directories), drops_(drops), durability_(durability) {}

  void work() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= drops_.size()) return;
      Drop& drop = drops_[index];
      auto dropped = spool::drop_request_unsynced(directories_, drop.stem, drop.bytes, durability_);
      if (dropped) {
        drop.publication = *dropped;
        continue;
      }
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = dropped.error();
    }
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const spool::Directories& directories_;
  std::vector<Drop>& drops_;
  spool::Durability durability_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::optional<Error> error_;
};

}  // namespace

Result<void> drop_all(const spool::Directories& directories, std::vector<Drop>& drops,
                      spool::Durability durability) {
  if (drops.empty()) return {};
  Crew crew(directories, drops, durability);
  const bool syncs = durability != spool::Durability::kNone;
  const std::size_t hands = syncs ? std::min<std::size_t>(drops.size(), limits::kSyncThreads) : 1;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < hands; ++i) threads.emplace_back([&crew] { crew.work(); });
  crew.work();
  threads.clear();  // Joins.
  if (crew.error()) return Unexpected(*crew.error());
  if (durability == spool::Durability::kFull) {
    TRY(spool::sync_directory(directories.requests.get()));
  }
  return {};
}

}  // namespace filecall::client
