// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/folded_impacts.h"

#include <algorithm>
#include <optional>

namespace filecall::worker::kube {
namespace {

constexpr int kOwnersMax = 10;

std::optional<std::size_t> controller_of(const ObjectGraph& graph, std::size_t object) {
  for (const GraphEdge& edge : graph.out_edges(object)) {
    if (edge.reference->is_controller) return edge.target;
  }
  return std::nullopt;
}

}  // namespace

std::vector<FoldedImpact> fold_impacts(const ObjectGraph& graph,
                                       const std::vector<Impact>& impacts) {
  std::vector<FoldedImpact> all;
  std::map<std::size_t, std::size_t> places;  // Of objects in `all`.
  for (const Impact& impact : impacts) {      // The worst come first.
    const auto [place, is_new] = places.emplace(impact.object, all.size());
    if (is_new) {
      all.push_back({&impact, 0, {}, {}});
    } else {
      ++all[place->second].more_paths;
    }
  }
  const auto covers = [](const Impact& owner, const Impact& owned) {
    return owner.effect == owned.effect && owner.is_incoming == owned.is_incoming &&
           owner.distance <= owned.distance && owner.severity >= owned.severity;
  };
  std::vector<std::size_t> owners(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    owners[i] = i;
    std::size_t object = all[i].worst->object;
    for (int step = 0; step < kOwnersMax; ++step) {
      const auto controller = controller_of(graph, object);
      if (!controller) break;
      object = *controller;
      const auto place = places.find(object);
      const bool is_covered =
          place != places.end() && covers(*all[place->second].worst, *all[i].worst);
      if (is_covered) owners[i] = place->second;
    }
  }
  std::vector<FoldedImpact> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == i) continue;
    ++all[owners[i]].with[graph.at(all[i].worst->object).kind.kind];
    all[owners[i]].covered.push_back(all[i].worst);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owners[i] == i) out.push_back(std::move(all[i]));
  }
  return out;
}

}  // namespace filecall::worker::kube
