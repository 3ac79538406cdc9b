// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace filecall::client {

/// What of its predecessors a request waits for: `after_any`.
enum class AfterAny : std::uint8_t {
  kSuccess,  ///< All of them succeeded; one that was given up refuses it.
  kEnd,      ///< All of them ended, in whatever way.
};
std::string_view to_string(AfterAny mode);
std::optional<AfterAny> parse_after_any(std::string_view name);

/// Which requests wait for which. A directed graph, built once; some 16 bytes an edge and 24 a
/// node. Pure; not thread-safe.
class WaitGraph {
 public:
  using Node = std::uint32_t;

  Node add_node();
  /// Both must have been added.
  void add_edge(Node waiter, Node predecessor);
  void set_mode(Node waiter, AfterAny mode) { modes_[waiter] = mode; }
  /// Before anything below is asked, and after the last edge. An edge that is there twice counts
  /// once.
  void finish();

  std::size_t size() const { return modes_.size(); }
  AfterAny mode(Node node) const { return modes_[node]; }
  /// Whom it waits for, in ascending order.
  std::vector<Node> predecessors(Node node) const;
  std::uint32_t predecessor_count(Node node) const { return in_begin_[node + 1] - in_begin_[node]; }
  /// Calls `visit(node)` for all that wait for it.
  template <typename Visit>
  void each_waiter(Node node, const Visit& visit) const {
    for (std::uint32_t i = out_begin_[node]; i < out_begin_[node + 1]; ++i) visit(out_[i]);
  }

  /// One cycle, each waiting for the next and the last for the first; empty: there is none.
  std::vector<Node> find_cycle() const;
  /// Edges on the longest path. The graph must have no cycle.
  int depth() const;

 private:
  struct Edge {
    Node waiter;
    Node predecessor;
    auto operator<=>(const Edge&) const = default;
  };
  /// Nodes that are free when all whom they wait for are; the others are on cycles or behind them.
  std::vector<Node> order() const;

  std::vector<AfterAny> modes_;
  std::vector<Edge> edges_;  ///< Sorted by waiter once finished.
  std::vector<std::uint32_t> in_begin_, out_begin_;
  std::vector<Node> out_;
};

/// How far the requests of a graph are. Pure; not thread-safe.
class WaitProgress {
 public:
  using Node = WaitGraph::Node;
  enum class Standing : std::uint8_t { kWaits, kFree, kRefused };

  /// `graph` must be finished, and outlive it.
  explicit WaitProgress(const WaitGraph& graph);

  /// The request has ended. What is free or refused by it is appended to `released`, each once. A
  /// refused one has not ended: somebody says so when its state is known.
  void settle(Node node, bool is_success, std::vector<Node>& released);
  Standing standing(Node node) const { return standings_[node]; }
  bool has_ended(Node node) const { return has_ended_[node]; }
  /// kRefused: the predecessor whose failure refused it.
  Node cause(Node node) const { return causes_[node]; }

 private:
  const WaitGraph& graph_;
  std::vector<std::uint32_t> left_;  ///< Predecessors that have not ended.
  std::vector<Standing> standings_;
  std::vector<bool> has_ended_;
  std::vector<Node> causes_;
};

}  // namespace filecall::client
