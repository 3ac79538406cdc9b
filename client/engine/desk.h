// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/channel/request_channel.h"
#include "client/core/request_machine.h"
#include "client/engine/performer.h"
#include "client/store/request_row.h"
#include "client/store/state_store.h"

namespace filecall::client {

/// What is to be made durable and then done for one request. Lent to the desk with its batch: until
/// the batch is back, the driver reads it at most.
struct DeskTask {
  RequestRow row;
  std::string bytes;  ///< The request's text, as long as it may have to be dropped.

  // The order.
  /// Asks whose the request is. `row` and `actions` are what follows if nobody has had it.
  bool is_claim = false;
  bool only_looks = false;  ///< A claim that takes nothing.
  bool is_new = false;      ///< Had no row before this run.
  bool writes_row = false;
  bool removes_row = false;
  std::string own_answer;  ///< Out of the cache; kept before the row says SUCCESS.
  std::vector<Action> actions;

  // The report.
  std::optional<Claim> claim;     ///< Of a claim.
  bool is_other_request = false;  ///< The claim's row is of another request.
  std::optional<ChannelDrop::Fate> dropped;
  Performed performed;
};

/// A success to be kept in the cache.
struct CacheEntry {
  std::string identity;
  std::shared_ptr<const Response> answer;
};

/// All that one turn decided.
struct DeskBatch {
  std::vector<DeskTask*> tasks;
  std::vector<CacheEntry> cache_entries;
  std::vector<std::string> heard_cancel_requests;  ///< To be removed.
  bool reads_cancel_requests = false;

  // The report.
  std::vector<std::string> cancel_requests;  ///< To cancel; of any client's requests.
  std::vector<std::string> notices;          ///< For people.
  std::optional<Error> error;                ///< What is left of the batch was not done.
};

/// Where a turn's decisions are made durable and carried out, so that the driver is not kept
/// waiting by disks. One batch at a time; while it is there, the next one is gathered.
class Desk {
 public:
  virtual ~Desk() = default;
  /// The batch (and its tasks) must stay where it is until it is back.
  virtual void hand_in(DeskBatch& batch) = 0;
  /// Whether the batch that was handed in is done. Never blocks.
  virtual bool take_back() = 0;
  /// Blocks until the batch, if any, is done.
  virtual void wait() = 0;
  /// Readable when a batch is done; -1: ask take_back().
  virtual int poll_fd() const = 0;
};

}  // namespace filecall::client
