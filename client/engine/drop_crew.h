// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::client {

/// Drops many request files. With a durability that syncs, the files are written by several threads
/// at once (a disk serves many syncs in the time of one) and the directory is synced once for all.
struct Drop {
  std::string_view stem;
  std::string_view bytes;
  /// Out: what came of it.
  spool::Publication publication = spool::Publication::kPublished;
};
/// Blocks until all are done. Failure: of the first drop that failed; others may have succeeded.
Result<void> drop_all(const spool::Directories& directories, std::vector<Drop>& drops,
                      spool::Durability durability);

}  // namespace filecall::client
