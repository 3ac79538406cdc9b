// SPDX-License-Identifier: MIT
#include "client/core/wait_graph.h"

#include <algorithm>

namespace filecall::client {

std::string_view to_string(AfterAny mode) { return mode == AfterAny::kEnd ? "end" : "success"; }

std::optional<AfterAny> parse_after_any(std::string_view name) {
  if (name == "success") return AfterAny::kSuccess;
  if (name == "end") return AfterAny::kEnd;
  return std::nullopt;
}

WaitGraph::Node WaitGraph::add_node() {
  modes_.push_back(AfterAny::kSuccess);
  return static_cast<Node>(modes_.size() - 1);
}

void WaitGraph::add_edge(Node waiter, Node predecessor) { edges_.push_back({waiter, predecessor}); }

void WaitGraph::finish() {
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  in_begin_.assign(size() + 1, 0);
  out_begin_.assign(size() + 1, 0);
  for (const Edge& edge : edges_) {
    ++in_begin_[edge.waiter + 1];
    ++out_begin_[edge.predecessor + 1];
  }
  for (std::size_t i = 0; i < size(); ++i) {
    in_begin_[i + 1] += in_begin_[i];
    out_begin_[i + 1] += out_begin_[i];
  }
  out_.resize(edges_.size());
  std::vector<std::uint32_t> next(out_begin_.begin(), out_begin_.end() - 1);
  for (const Edge& edge : edges_) out_[next[edge.predecessor]++] = edge.waiter;
}

std::vector<WaitGraph::Node> WaitGraph::predecessors(Node node) const {
  std::vector<Node> found;
  for (std::uint32_t i = in_begin_[node]; i < in_begin_[node + 1]; ++i) {
    found.push_back(edges_[i].predecessor);
  }
  return found;
}

std::vector<WaitGraph::Node> WaitGraph::order() const {
  std::vector<std::uint32_t> left(size());
  std::vector<Node> order;
  for (Node node = 0; node < size(); ++node) {
    left[node] = predecessor_count(node);
    if (left[node] == 0) order.push_back(node);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    each_waiter(order[at], [&](Node waiter) {
      if (--left[waiter] == 0) order.push_back(waiter);
    });
  }
  return order;
}

std::vector<WaitGraph::Node> WaitGraph::find_cycle() const {
  const std::vector<Node> free = order();
  if (free.size() == size()) return {};
  std::vector<bool> is_free(size());
  for (const Node node : free) is_free[node] = true;
  // What is not free waits for one that is not free: going on so leads around a cycle.
  const auto next = [&](Node node) {
    std::uint32_t i = in_begin_[node];
    while (is_free[edges_[i].predecessor]) ++i;
    return edges_[i].predecessor;
  };
  Node node = 0;
  while (is_free[node]) ++node;
  std::vector<bool> was_seen(size());
  for (; !was_seen[node]; node = next(node)) was_seen[node] = true;
  std::vector<Node> cycle = {node};
  for (Node at = next(node); at != node; at = next(at)) cycle.push_back(at);
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

int WaitGraph::depth() const {
  std::vector<int> depths(size(), 0);
  int deepest = 0;
  for (const Node node : order()) {
    deepest = std::max(deepest, depths[node]);
    each_waiter(node,
                [&](Node waiter) { depths[waiter] = std::max(depths[waiter], depths[node] + 1); });
  }
  return deepest;
}

WaitProgress::WaitProgress(const WaitGraph& graph)
    : graph_(graph),
      left_(graph.size()),
      standings_(graph.size(), Standing::kFree),
      has_ended_(graph.size(), false),
      causes_(graph.size(), 0) {
  for (Node node = 0; node < graph.size(); ++node) {
    left_[node] = graph.predecessor_count(node);
    if (left_[node] > 0) standings_[node] = Standing::kWaits;
  }
}

void WaitProgress::settle(Node node, bool is_success, std::vector<Node>& released) {
  if (has_ended_[node]) return;
  has_ended_[node] = true;
  graph_.each_waiter(node, [&](Node waiter) {
    --left_[waiter];
    if (standings_[waiter] != Standing::kWaits) return;
    if (!is_success && graph_.mode(waiter) == AfterAny::kSuccess) {
      standings_[waiter] = Standing::kRefused;
      causes_[waiter] = node;
    } else if (left_[waiter] == 0) {
      standings_[waiter] = Standing::kFree;
    } else {
      return;
    }
    released.push_back(waiter);
  });
}

}  // namespace filecall::client
