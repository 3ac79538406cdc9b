// SPDX-License-Identifier: MIT
#include "client/channel/drop_crew.h"

#include "ipc/limits.h"
#include "os/side_by_side.h"
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
  const bool syncs = durability != Durability::kNone;
  const std::size_t threads = syncs ? limits::kSyncThreads : 1;
  filecall::side_by_side(drops.size(), {.count = threads},
                         [&](std::size_t i) { drop_one(directories, drops[i], durability); });
  if (durability != Durability::kFull) return;
  if (const auto synced = spool::sync_directory(directories.requests.get()); !synced) {
    for (ChannelDrop& drop : drops) {
      drop.fate = ChannelDrop::Fate::kFailed;
      drop.error = synced.error();
    }
  }
}

}  // namespace filecall::client
