// SPDX-License-Identifier: MIT
#include "client/engine/open_requests.h"

#include <string_view>

#include "spool/pending_scan.h"
#include "spool/root.h"

namespace filecall::client {

Result<bool> has_open_requests(const std::string& root) {
  TRY_ASSIGN(const auto opened, spool::Root::open(root, {.allow_shared = true, .create = false}));
  TRY_ASSIGN(auto scan,
             spool::PendingScan::begin(opened.directories(), false, [](std::string_view) {}));
  for (bool is_over = false; !is_over;) {
    TRY_ASSIGN(is_over, scan.step());
  }
  return !scan.take().empty();
}

}  // namespace filecall::client
