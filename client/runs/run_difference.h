// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/runs/run_record.h"
#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// Requests that two lists tell apart; the first of them by their ids.
struct ListedApart {
  static constexpr std::size_t kNamed = 20;
  std::int64_t count = 0;
  std::vector<std::string> ids;

  void add(const std::string& id) {
    if (++count <= static_cast<std::int64_t>(kNamed)) ids.push_back(id);
  }
};

/// A turn of a conversation that is another one in B. `a` or `b` null: it has no such turn.
struct TurnChange {
  std::size_t turn = 1;  ///< From 1.
  Json a;
  Json b;
};

/// A conversation whose later turns, tools or limits are other ones in B. Its first turn stands in
/// its first request: with another one it is another request.
struct ConversationChange {
  std::string request_id;
  std::vector<TurnChange> turns;
  /// Of `tools`, `tool_results` and what else makes a conversation: the names that differ.
  std::vector<std::string> other;
};
/// `a`, `b`: `conversation` of metadata; anything else is no conversation. Pure.
ConversationChange compare_conversations(const std::string& request_id, const Json& a,
                                         const Json& b);

/// What one run asked and another did not.
struct RunDifference {
  Json setup = Json::array();  ///< Turns the setup of A into that of B: a JSON Patch (RFC 6902).
  std::int64_t in_both = 0;
  ListedApart only_a;
  ListedApart only_b;
  /// In both, with other metadata (a label was corrected, a column added).
  ListedApart other_metadata;
  std::int64_t other_conversations = 0;           ///< Of them, those with other turns or tools.
  std::vector<ConversationChange> conversations;  ///< The first ListedApart::kNamed of them.
};

/// Compares the setups and the lists of two runs of one root. Some 32 bytes a request. Failures:
/// the lists'.
Result<RunDifference> compare_run_lists(const spool::Layout& layout, const RunRecord& a,
                                        const RunRecord& b);
Json run_difference_json(const RunRecord& a, const RunRecord& b, const RunDifference& difference);

}  // namespace filecall::client
