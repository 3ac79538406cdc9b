// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "client/eval/selection.h"
#include "client/service/ledger.h"
#include "spool/name_list.h"

namespace filecall::client {

/// The requests that an evaluation may be about, as far as their names, batches and states tell; in
/// order of their ids. Some 50 bytes each.
struct Candidates {
  spool::NameList succeeded;
  spool::NameList given_up;
  std::int64_t unfinished = 0;

  std::int64_t total() const {
    return static_cast<std::int64_t>(succeeded.size() + given_up.size()) + unfinished;
  }
};

/// Lists them. `is_known(id, entry)`: left out (counted neither).
Result<Candidates> list_candidates(Ledger& ledger, const Selection& selection,
                                   const std::function<bool(const RequestEntry& entry)>& is_known);

}  // namespace filecall::client
