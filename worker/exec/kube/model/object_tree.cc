// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ipc/json_text.h"

namespace filecall::worker::kube {
namespace {

const ObjectKind kTreePod{"", "Pod"};

std::string long_kind(const ObjectKind& kind) {
  return kind.group.empty() ? kind.kind : kind.kind + "." + kind.group;
}

class Tree {
 public:
  Tree(const ObjectGraph& graph, std::size_t target, const TreeLimits& limits)
      : graph_(graph), target_(target), limits_(limits) {}

  Json describe() {
    find_children();
    has_namespaces_ = graph_.at(target_).ns.empty();
    in_tree_.insert(target_);
    walk();
    find_users();
    Json data = Json::object();
    data["columns"] = Json::array({"depth", "kind", "name"});
    if (has_namespaces_) data["columns"].push_back("namespace");
    data["owned"] = std::move(owned_);
    data["usedBy"] = std::move(users_);
    if (users_left_out_ > 0) left_out_["usedBy"] = users_left_out_;
    data["complete"] = left_out_.empty() && not_followed_ == 0;
    if (!left_out_.empty()) data["leftOut"] = std::move(left_out_);
    if (not_followed_ > 0) data["notFollowed"] = not_followed_;
    return data;
  }

 private:
  void find_children() {
    std::map<std::string, std::size_t, std::less<>> by_uid;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      if (!graph_.at(i).uid.empty()) by_uid.emplace(graph_.at(i).uid, i);
    }
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      for (const Reference& reference : graph_.at(i).references) {
        if (reference.rule->match != ReferenceMatch::kOwner || reference.uid.empty()) continue;
        const auto owner = by_uid.find(reference.uid);
        if (owner != by_uid.end() && owner->second != i) children_[owner->second].push_back(i);
      }
    }
    for (auto& [owner, children] : children_) {
      std::ranges::sort(children, {}, [this](std::size_t i) {
        const GraphObject& object = graph_.at(i);
        return std::tie(object.kind.kind, object.ns, object.name);
      });
    }
  }

  /// Without recursion: owners may stand above each other without an end.
  void walk() {
    std::vector<std::pair<std::size_t, int>> open{{target_, 0}};
    std::size_t omitted = 0;
    while (!open.empty()) {
      const auto [at, depth] = open.back();
      open.pop_back();
      if (depth > 0 && !add_owned(at, depth)) ++omitted;
      const auto children = children_.find(at);
      if (children == children_.end()) continue;
      for (auto child = children->second.rbegin(); child != children->second.rend(); ++child) {
        if (in_tree_.contains(*child)) continue;
        if (depth >= limits_.depth) {
          ++not_followed_;
          continue;
        }
        in_tree_.insert(*child);
        open.emplace_back(*child, depth + 1);
      }
    }
    if (omitted > 0) left_out_["owned"] = omitted;
  }

  bool has_room(const Json& row) {
    bytes_ += dump_json(row).size() + 1;
    return bytes_ <= limits_.bytes_max;
  }

  bool add_owned(std::size_t at, int depth) {
    const GraphObject& object = graph_.at(at);
    Json row = Json::array({depth, long_kind(object.kind), object.name});
    if (has_namespaces_) row.push_back(object.ns);
    if (!has_room(row)) return false;
    owned_.push_back(std::move(row));
    return true;
  }

  /// What refers to the object itself stands first, then what refers to its pods.
  void find_users() {
    std::map<std::pair<std::size_t, std::string>, User> users;
    std::vector<std::size_t> targets{target_};
    for (const std::size_t i : in_tree_) {
      if (i != target_ && graph_.at(i).kind == kTreePod) targets.push_back(i);
    }
    for (const std::size_t target : targets) {
      for (const GraphEdge& edge : graph_.in_edges(target)) {
        const bool is_owner = edge.reference->rule->match == ReferenceMatch::kOwner;
        const bool is_place = edge.reference->path == "/metadata/namespace";
        if (is_owner || is_place || in_tree_.contains(edge.source)) continue;
        const auto [user, is_new] =
            users.try_emplace({edge.source, edge.reference->path}, User{edge.reference, target, 0});
        if (target != target_ && user->second.target != target_) ++user->second.via_count;
      }
    }
    std::vector<std::pair<std::size_t, const User*>> sorted;
    sorted.reserve(users.size());
    for (const auto& [key, user] : users) sorted.emplace_back(key.first, &user);
    std::ranges::stable_sort(sorted, {}, [this](const auto& entry) {
      const GraphObject& source = graph_.at(entry.first);
      return std::make_tuple(entry.second->target != target_, source.kind.kind, source.name);
    });
    for (const auto& [source, user] : sorted) add_user(graph_.at(source), *user);
  }

  struct User {
    const Reference* reference = nullptr;
    std::size_t target = 0;
    std::size_t via_count = 0;
  };

  void add_user(const GraphObject& source, const User& user) {
    Json row{{"kind", source.kind.kind}, {"name", source.name}, {"path", user.reference->path}};
    if (!source.kind.group.empty()) row["group"] = source.kind.group;
    if (!source.ns.empty() && (source.ns != graph_.at(target_).ns)) row["namespace"] = source.ns;
    if (user.target != target_) {
      row["via"] = fmt::format("Pod/{}", graph_.at(user.target).name);
      if (user.via_count > 1) row["viaCount"] = user.via_count;
    }
    if (user.reference->rule->match == ReferenceMatch::kPossible) row["possible"] = true;
    if (!has_room(row)) {
      ++users_left_out_;
      return;
    }
    users_.push_back(std::move(row));
  }

  const ObjectGraph& graph_;
  const std::size_t target_;
  const TreeLimits& limits_;
  bool has_namespaces_ = false;
  std::map<std::size_t, std::vector<std::size_t>> children_;
  std::set<std::size_t> in_tree_;
  Json owned_ = Json::array();
  Json users_ = Json::array();
  Json left_out_ = Json::object();
  std::size_t users_left_out_ = 0;
  std::size_t not_followed_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Json describe_tree(const ObjectGraph& graph, std::size_t target, const TreeLimits& limits) {
  return Tree(graph, target, limits).describe();
}

}  // namespace filecall::worker::kube
