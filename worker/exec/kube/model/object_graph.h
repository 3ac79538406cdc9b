// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/references.h"

namespace filecall::worker::kube {

/// One object of a graph.
struct GraphObject {
  ObjectKind kind;
  std::string ns;
  std::string name;
  std::string uid;
  Json object;
  std::vector<Reference> references;
  bool is_cut = false;  ///< It may refer to more than was looked at.
};

/// That one object refers to another.
struct GraphEdge {
  std::size_t source = 0;
  std::size_t target = 0;
  const Reference* reference = nullptr;
  /// How many objects the reference fits, this one included.
  std::size_t fits = 1;
};

/// A set of objects and what they refer to in each other: names, owners, selectors, hosts of Istio
/// (with exportTo). Built once: add() all, then link(). Pure; not thread-safe while it is built.
class ObjectGraph {
 public:
  explicit ObjectGraph(const ReferenceTable& table) : table_(table) {}

  /// An object that is there already (same kind, namespace and name) is left as it is.
  void add(const ObjectKind& kind, Json object);
  void link();

  std::optional<std::size_t> find(const ObjectKind& kind, std::string_view ns,
                                  std::string_view name) const;
  std::size_t size() const { return objects_.size(); }
  const GraphObject& at(std::size_t index) const { return objects_[index]; }
  /// Edges from an object, and edges to it.
  const std::vector<GraphEdge>& out_edges(std::size_t index) const { return out_[index]; }
  const std::vector<GraphEdge>& in_edges(std::size_t index) const { return in_[index]; }
  const ReferenceTable& table() const { return table_; }

 private:
  std::vector<std::size_t> targets_of(const GraphObject& source, const Reference& reference) const;
  std::vector<std::size_t> candidates(const Reference& reference) const;
  bool fits(const GraphObject& source, const Reference& reference, const GraphObject& target) const;
  bool is_in_place(const Reference& reference, const GraphObject& target) const;
  bool serves_host(const GraphObject& source, const Reference& reference,
                   const GraphObject& target) const;
  /// Whether a Service or ServiceEntry that `from` can see answers for the host.
  bool serves(const GraphObject& server, const IstioHost& host, std::string_view from) const;
  /// The pods behind the host of a DestinationRule, of those that fit one of its subsets.
  std::vector<std::size_t> behind_host(const GraphObject& rule,
                                       std::vector<std::size_t> pods) const;
  /// Namespaces of the proxies that a Gateway selects; empty when none of them is known.
  std::vector<std::string> proxy_namespaces(const GraphObject& gateway) const;

  const ReferenceTable& table_;
  std::deque<GraphObject> objects_;  // Edges point into it.
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_kind_;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> by_name_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_plain_name_;
  std::vector<std::vector<GraphEdge>> out_;
  std::vector<std::vector<GraphEdge>> in_;
};

}  // namespace filecall::worker::kube
