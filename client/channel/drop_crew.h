// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "client/channel/request_channel.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::client {

/// Drops many request files. With a durability that syncs, the files are written by several threads
/// at once (a disk serves many syncs in the time of one) and the directory is synced once for all.
/// Blocks until all are done.
void drop_all(const spool::Directories& directories, std::span<ChannelDrop> drops,
              Durability durability);

}  // namespace filecall::client
