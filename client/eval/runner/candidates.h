// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "client/eval/selection.h"
#include "client/service/ledger.h"
#include "client/service/run_scope.h"
#include "spool/name_list.h"

namespace filecall::client {

/// The requests that an evaluation may be about, as far as their names, batches and states tell; in
/// order of their ids. Some 50 bytes each.
struct Candidates {
  spool::NameList succeeded;
  spool::NameList given_up;
  std::int64_t unfinished = 0;
  std::int64_t not_selected = 0;  ///< By their names, or their commands as far as known.
  std::int64_t removed = 0;       ///< They ended, and gc removed their files.
  std::int64_t superseded = 0;    ///< Earlier results of agents' runs that went on.

  std::int64_t total() const {
    return static_cast<std::int64_t>(succeeded.size() + given_up.size()) + unfinished;
  }
};

/// Lists those of `scope`. `is_known(entry)`: left out (counted neither). `may_select(id)`: whether
/// the content of one that has not ended may be selected; nobody waits for another.
Result<Candidates> list_candidates(Ledger& ledger, const RunScope& scope,
                                   const Selection& selection,
                                   const std::function<bool(const RequestEntry& entry)>& is_known,
                                   const std::function<bool(std::string_view id)>& may_select);

}  // namespace filecall::client
