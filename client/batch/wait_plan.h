// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/core/wait_graph.h"

namespace filecall::client {

/// How a request of the root that is not in the input ended; nullopt: it has not, or is none.
using EndedBefore = std::function<Result<std::optional<bool>>(const std::string& id)>;

/// Which requests of a batch wait for which, by their ids. Only those that wait, and those that
/// they wait for, are in it. Pure; not thread-safe.
class WaitPlan {
 public:
  using Node = WaitGraph::Node;

  WaitPlan() = default;
  WaitPlan(const WaitPlan&) = delete;
  WaitPlan& operator=(WaitPlan&&) = default;

  /// A request that waits, and where it stands in the input.
  Node add_waiter(const std::string& id, AfterAny mode, std::uint64_t position);
  /// `predecessor` is in the input.
  void add_wait(Node waiter, const std::string& predecessor);
  /// `predecessor` is not, and has ended before.
  void add_wait_for_ended(Node waiter, const std::string& predecessor, bool is_success);
  /// After the last one.
  void finish() { graph_.finish(); }

  const WaitGraph& graph() const { return graph_; }
  bool empty() const { return ids_.empty(); }
  /// nullopt: it waits for nobody, and nobody for it.
  std::optional<Node> find(std::string_view id) const;
  const std::string& id(Node node) const { return *ids_[node]; }
  std::uint64_t position(Node node) const { return positions_[node]; }
  /// Requests that wait for others.
  std::int64_t waiting() const { return waiting_; }

  /// Requests that are not in the input, with how they ended.
  const std::map<Node, bool>& ended() const { return ended_; }
  /// "a, b and 3 more": at most `most` of those that it waits for.
  std::string predecessors_text(Node node, std::size_t most) const;
  /// `"after":["a"],"after_any":"end"`; empty: it waits for nobody.
  std::string members_text(std::string_view id) const;
  /// "c waits for b, b for a, a for c".
  std::string cycle_text(const std::vector<Node>& cycle) const;

 private:
  Node node_of(const std::string& id);

  WaitGraph graph_;
  std::map<std::string, Node, std::less<>> nodes_;
  std::vector<const std::string*> ids_;  ///< The keys of nodes_.
  std::vector<std::uint64_t> positions_;
  std::map<Node, bool> ended_;
  std::int64_t waiting_ = 0;
};

}  // namespace filecall::client
