// SPDX-License-Identifier: MIT
#include "client/batch/wait_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kCycleShown = 8;

}  // namespace

WaitPlan::Node WaitPlan::node_of(const std::string& id) {
  const auto [found, is_new] = nodes_.try_emplace(id, 0);
  if (is_new) {
    found->second = graph_.add_node();
    ids_.push_back(&found->first);
    positions_.push_back(0);
  }
  return found->second;
}

WaitPlan::Node WaitPlan::add_waiter(const std::string& id, AfterAny mode, std::uint64_t position) {
  const Node node = node_of(id);
  graph_.set_mode(node, mode);
  positions_[node] = position;
  ++waiting_;
  return node;
}

void WaitPlan::add_wait(Node waiter, const std::string& predecessor) {
  graph_.add_edge(waiter, node_of(predecessor));
}

void WaitPlan::add_wait_for_ended(Node waiter, const std::string& predecessor, bool is_success) {
  const Node node = node_of(predecessor);
  ended_[node] = is_success;
  graph_.add_edge(waiter, node);
}

std::optional<WaitPlan::Node> WaitPlan::find(std::string_view id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

std::string WaitPlan::predecessors_text(Node node, std::size_t most) const {
  const std::vector<Node> nodes = graph_.predecessors(node);
  const std::size_t shown = std::min(most, nodes.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + id(nodes[i]);
  if (nodes.size() > shown) text += fmt::format(" and {} more", nodes.size() - shown);
  return text;
}

std::string WaitPlan::members_text(std::string_view id) const {
  const auto node = find(id);
  if (!node || graph_.predecessor_count(*node) == 0) return {};
  std::string text = "\"after\":";
  char separator = '[';
  for (const Node one : graph_.predecessors(*node)) {
    text += std::exchange(separator, ',');
    append_json_string(text, this->id(one));
  }
  text += ']';
  if (graph_.mode(*node) == AfterAny::kEnd) text += ",\"after_any\":\"end\"";
  return text;
}

std::string WaitPlan::cycle_text(const std::vector<Node>& cycle) const {
  std::string text = fmt::format("'{}' waits for ", id(cycle[0]));
  const std::size_t shown = std::min(cycle.size() - 1, kCycleShown);
  for (std::size_t i = 1; i <= shown; ++i) {
    text += fmt::format("'{}', that for ", id(cycle[i]));
  }
  if (cycle.size() - 1 > shown) {
    text += fmt::format("{} more, and the last of them for ", cycle.size() - 1 - shown);
  }
  return text + fmt::format("'{}'", id(cycle[0]));
}

}  // namespace filecall::client
