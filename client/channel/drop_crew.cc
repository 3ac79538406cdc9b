// SPDX-License-Identifier: MIT
#include "client/channel/drop_crew.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "ipc/limits.h"
#include "spool/client_files.h"

namespace filecall::client {
namespace {

void drop_one(const spool::Directories& directories, ChannelDrop& drop, Durability durability) {
  const auto dropped =
      spool::drop_request_unsynced(directories, drop.request_id, drop.bytes, durability);
  if (!dropped) {
    drop.fate = ChannelDrop::Fate::kFailed;
    drop.error = dropped.error();
  } else {
    drop.fate = *dropped == spool::Publication::kPublished ? ChannelDrop::Fate::kDropped
                                                           : ChannelDrop::Fate::kThere;
  }
}

}  // namespace

void drop_all(const spool::Directories& directories, std::span<ChannelDrop> drops,
              Durability durability) {
  if (drops.empty()) return;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t at = next.fetch_add(1); at < drops.size(); at = next.fetch_add(1)) {
      drop_one(directories, drops[at], durability);
    }
  };
  const bool syncs = durability != Durability::kNone;
  const std::size_t hands = syncs ? std::min<std::size_t>(drops.size(), limits::kSyncThreads) : 1;
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < hands; ++i) threads.emplace_back(work);
  work();
  threads.clear();  // Joins.
  if (durability != Durability::kFull) return;
  if (const auto synced = spool::sync_directory(directories.requests.get()); !synced) {
    for (ChannelDrop& drop : drops) {
      drop.fate = ChannelDrop::Fate::kFailed;
      drop.error = synced.error();
    }
  }
}

}  // namespace filecall::client
