// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "client/core/request_state.h"
#include "client/store/state_store.h"
#include "spool/name_list.h"
#include "spool/root.h"

namespace filecall::client {

struct LedgerCounts {
  std::array<std::int64_t, kRequestStateCount> by_state{};  ///< Indexed by RequestState.
  std::int64_t total = 0;
  /// Answered, but by nobody whose state the database has, and not read so far: success or error
  /// is not known. In `total` and in no state.
  std::int64_t unread = 0;

  void add(RequestState state) {
    ++by_state.at(static_cast<std::size_t>(state));
    ++total;
  }
};

struct CountOptions {
  /// How many answers are opened, beside those that an earlier look read. What is more is `unread`.
  std::int64_t read_max = 20'000;
  bool remembers = true;  ///< What was read is kept for the next look.
};

struct RequestCount {
  LedgerCounts counts;
  spool::NameList names;  ///< All in requests/, as it was read; not sorted.
};

/// The ids of what is in requests/, not sorted.
Result<spool::NameList> read_request_names(const spool::Root& root);

/// Counts the requests of a root. The database is asked for what it knows; of all others the names
/// in requests/, responses/ and failed/ tell nearly everything, and the answers that nobody has
/// read are opened, several at once, and remembered in a file of the client's. Blocking; threads
/// of its own.
Result<RequestCount> count_requests(const spool::Root& root, StateStore& store,
                                    const CountOptions& options);

}  // namespace filecall::client
