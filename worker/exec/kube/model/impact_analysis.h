// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "worker/exec/kube/model/object_graph.h"

namespace filecall::worker::kube {

/// What happens to one object, by one of its references or by one that refers to it.
struct Impact {
  std::size_t object = 0;
  const Reference* reference = nullptr;
  Severity severity = Severity::kInfo;
  EffectType effect = EffectType::kNone;
  std::string why;
  bool is_incoming = true;  ///< It refers to what is lost.
  int distance = 1;
  std::size_t through = 0;  ///< What it refers to, or is referred to by.
};

/// "Kind ns/name".
std::string title_of(const GraphObject& object);

/// Follows the references of a graph from an object that is deleted; impact.h states the rules.
/// Pure.
class ImpactAnalysis {
 public:
  ImpactAnalysis(const ObjectGraph& graph, std::size_t target) : graph_(graph), target_(target) {}

  /// To be called once, before all else. `depth`: how many steps are followed.
  void run(int depth);

  /// The worst first.
  const std::vector<Impact>& impacts() const { return impacts_; }
  /// What goes with the object, each with what it belongs to.
  const std::map<std::size_t, std::pair<std::size_t, const ReferenceRule*>>& also_deleted() const {
    return why_deleted_;
  }
  /// The object and all that goes with it.
  const std::set<std::size_t>& deleted() const { return deleted_; }
  /// How many objects break at the last step that was asked for: what depends on them was not
  /// looked at.
  std::size_t not_followed() const { return not_followed_; }
  /// The controller that creates the object again; null: none.
  const Reference* controller() const { return controller_; }

 private:
  void find_controller();
  /// What goes with the object, and with what goes with it.
  void close();
  bool has_other_owner(std::size_t object) const;
  /// How many other objects the reference still fits.
  std::size_t remaining(const GraphEdge& edge) const;
  /// Whether a part of an object that refers is untouched by what is lost.
  bool keeps_a_part(const GraphEdge& edge) const;
  EffectType effect_on_source(const GraphEdge& edge) const;
  /// The severity of the table, changed by what is known of the objects; adds the reasons to `why`.
  Severity adjusted(Severity severity, const GraphEdge& edge, bool is_incoming,
                    std::string& why) const;
  void incoming(const GraphEdge& edge);
  void outgoing(const GraphEdge& edge);
  void add(Impact impact);
  /// Whether what depends on the object is looked at in its turn.
  static bool is_followed(const Impact& impact);
  void follow(int depth);
  void step(const GraphEdge& edge, Severity broken, int distance, std::vector<Impact>& level);

  const ObjectGraph& graph_;
  const std::size_t target_;
  const Reference* controller_ = nullptr;
  std::set<std::size_t> deleted_;
  std::set<std::size_t> lost_;     ///< Deleted, or broken at an earlier step.
  std::set<std::size_t> reached_;  ///< At an earlier step.
  std::map<std::size_t, std::pair<std::size_t, const ReferenceRule*>> why_deleted_;
  std::vector<Impact> impacts_;
  std::size_t not_followed_ = 0;
  std::set<std::tuple<std::size_t, const Reference*, bool>> written_;
};

}  // namespace filecall::worker::kube
