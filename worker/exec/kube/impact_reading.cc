// SPDX-License-Identifier: MIT
#include "worker/exec/kube/impact_reading.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace filecall::worker::kube {
namespace {

/// What controllers make and own, and what must be known to resolve selectors and hosts.
const std::array kAlwaysListed = std::to_array<std::string_view>(
    {"Pod", "apps/ReplicaSet", "batch/Job", "discovery.k8s.io/EndpointSlice",
     "PersistentVolumeClaim", "Service"});

/// What goes with an object that has a template of pods.
const std::array kMadeOfTemplates = std::to_array<std::string_view>(
    {"Pod", "apps/ReplicaSet", "batch/Job", "PersistentVolumeClaim"});

/// How many kinds are read that the table does not know.
constexpr std::size_t kUnknownKindsMax = 200;

const ObjectKind kNamespaceKind{"", "Namespace"};
const ObjectKind kServiceKind{"", "Service"};

/// Objects of a kind that go or break.
struct Lost {
  Severity severity = Severity::kCritical;  ///< At most; what cannot break is kInfo.
  bool is_near = true;                      ///< Only beside the object that is deleted.
};
using LostKinds = std::map<std::pair<std::string, std::string>, Lost>;

const Lost* lost_of(const LostKinds& kinds, const ObjectKind& kind) {
  const auto found = kinds.find({kind.group, kind.kind});
  return found == kinds.end() ? nullptr : &found->second;
}

void add_lost(LostKinds& kinds, const ObjectKind& kind, const Lost& lost) {
  const auto [entry, is_new] = kinds.try_emplace({kind.group, kind.kind}, lost);
  if (is_new) return;
  entry->second.severity = std::max(entry->second.severity, lost.severity);
  entry->second.is_near = entry->second.is_near && lost.is_near;
}

/// What the loss of a target means for the source, at most.
Severity most(const ReferenceRule& rule) {
  Severity out = rule.target_deleted;
  for (const auto& [condition, severity] : rule.severity_when) out = std::max(out, severity);
  return out;
}

/// Whether a reference may fit several objects, so that the loss of one counts less.
bool fits_several(const ReferenceRule& rule) {
  switch (rule.match) {
    case ReferenceMatch::kLabels:
    case ReferenceMatch::kSelector:
    case ReferenceMatch::kNodeSelector:
    case ReferenceMatch::kSubject:
    case ReferenceMatch::kWildcardName:
    case ReferenceMatch::kPattern:
    case ReferenceMatch::kUrlHost:
    case ReferenceMatch::kIstioHost:
    case ReferenceMatch::kIstioSubset:
    case ReferenceMatch::kIstioGateway:
    case ReferenceMatch::kIstioPrincipal:
    case ReferenceMatch::kIstioSidecarHost:
      return true;
    default:
      return false;
  }
}

const Resource* served_resource(const ResourceTable& served, const ObjectKind& kind) {
  for (const Resource& resource : served.resources()) {
    if (resource.group == kind.group && resource.kind == kind.kind && resource.is_preferred) {
      return resource.can("list") ? &resource : nullptr;
    }
  }
  return nullptr;
}

/// Follows the table from the kinds that go to all that may break with them.
class KindSearch {
 public:
  explicit KindSearch(const ReferenceTable& table) : table_(table) {}

  /// Kinds to list, in the order in which they were found; `is_near` as in Lost.
  struct Wanted {
    ObjectKind kind;
    bool is_near = true;
    Severity may_hide = Severity::kNone;
  };
  const std::vector<Wanted>& wanted() const { return wanted_; }

  void want(const ObjectKind& kind, bool is_near, Severity may_hide = Severity::kNone) {
    const auto found = std::ranges::find(wanted_, kind, &Wanted::kind);
    if (found == wanted_.end()) return wanted_.push_back({kind, is_near, may_hide});
    found->is_near = found->is_near && is_near;
    found->may_hide = std::max(found->may_hide, may_hide);
  }

  /// The worst of what breaks with objects of a kind that go along: unless they are read, nobody
  /// sees it.
  Severity hidden_with(const ObjectKind& kind) const {
    const auto found = hidden_with_.find({kind.group, kind.kind});
    return found == hidden_with_.end() ? Severity::kNone : found->second;
  }

  /// `target`: the kind of the object that is deleted, of which nothing else need be read.
  void run(const LostKinds& gone, const ObjectKind& target, int depth) {
    LostKinds level = first_step(gone);
    for (const ReferenceRule& rule : table_.rules()) {
      if (rule.from.kind == "*" || rule.effect_type == EffectType::kNone) continue;
      for (const ObjectKind& to : rule.to) {
        if (to != target && lost_of(gone, to) != nullptr) {
          Severity& hidden = hidden_with_[{to.group, to.kind}];
          hidden = std::max(hidden, loses_its_pods(rule) ? Severity::kCritical : most(rule));
        }
      }
    }
    for (int distance = 2; distance <= depth; ++distance) level = next_step(level);
  }

 private:
  static bool loses_its_pods(const ReferenceRule& rule) {
    return rule.from == kServiceKind && rule.match == ReferenceMatch::kLabels;
  }

  /// The worst that a rule's source loses with these kinds, and whether it is near; nullopt:
  /// nothing.
  std::optional<Lost> hit(const ReferenceRule& rule, const LostKinds& kinds) const {
    std::optional<Lost> out;
    const auto take = [&](const Lost& lost) {
      if (!out) out = lost;
      out->severity = std::max(out->severity, lost.severity);
      out->is_near = out->is_near && lost.is_near;
    };
    for (const ObjectKind& to : rule.to) {
      if (const Lost* lost = lost_of(kinds, to)) take(*lost);
    }
    if (rule.to.empty()) {
      for (const auto& [kind, lost] : kinds) take(lost);
    }
    if (out) out->is_near = out->is_near && rule.ns == "same";
    return out;
  }

  /// The source of a rule breaks: it must be read, and what else the reference may fit.
  void break_source(const ReferenceRule& rule, const Lost& lost, LostKinds& broken) {
    want(rule.from, lost.is_near, lost.severity);
    if (fits_several(rule)) {
      for (const ObjectKind& to : rule.to) want(to, lost.is_near && rule.ns == "same");
    }
    if (rule.ns == "of-host") {
      want(kServiceKind, false);
      want({"networking.istio.io", "ServiceEntry"}, false);
    }
    if (rule.ns.starts_with("selector:")) want(kNamespaceKind, false);
    const bool may_break = rule.effect_type == EffectType::kBreaks;
    add_lost(broken, rule.from, {may_break ? lost.severity : Severity::kInfo, lost.is_near});
  }

  LostKinds first_step(const LostKinds& gone) {
    LostKinds broken;
    for (const ReferenceRule& rule : table_.rules()) {
      if (rule.from.kind == "*") continue;
      if (std::optional<Lost> lost = hit(rule, gone);
          lost && rule.effect_type != EffectType::kNone) {
        lost->severity = loses_its_pods(rule) ? Severity::kCritical : most(rule);
        break_source(rule, *lost, broken);
      }
      if (const Lost* lost = lost_of(gone, rule.from);
          lost != nullptr && rule.source_effect_type != EffectType::kNone) {
        const bool is_near = lost->is_near && rule.ns == "same";
        const bool may_break = rule.source_effect_type == EffectType::kBreaks;
        for (const ObjectKind& to : rule.to) {
          want(to, is_near, rule.source_deleted);
          add_lost(broken, to, {may_break ? rule.source_deleted : Severity::kInfo, is_near});
        }
      }
    }
    return broken;
  }

  /// Only what breaks is followed, and each step counts one level less.
  LostKinds next_step(const LostKinds& level) {
    LostKinds followed = level;
    std::erase_if(followed,
                  [](const auto& entry) { return entry.second.severity < Severity::kHigh; });
    LostKinds broken;
    for (const ReferenceRule& rule : table_.rules()) {
      if (rule.effect_type == EffectType::kNone || most(rule) < Severity::kMedium) continue;
      std::optional<Lost> lost = hit(rule, followed);
      if (!lost) continue;
      lost->severity = lowered(std::min(lost->severity, most(rule)));
      break_source(rule, *lost, broken);
    }
    return broken;
  }

  const ReferenceTable& table_;
  std::vector<Wanted> wanted_;
  std::map<std::pair<std::string, std::string>, Severity> hidden_with_;
};

/// The kinds of objects that go: that of the target and of what its controller made, what a
/// definition defines, and of all that a namespace may hold what others refer to from outside.
LostKinds lost_with(const ReferenceTable& table, const ResourceTable& served,
                    const ObjectKind& target, std::string_view name, bool is_near) {
  LostKinds out;
  add_lost(out, target, {Severity::kCritical, is_near});
  for (const ReferenceRule& rule : table.rules()) {
    if (target == kNamespaceKind && rule.ns != "same" && rule.ns != "cluster") {
      for (const ObjectKind& to : rule.to) add_lost(out, to, {Severity::kCritical, false});
    }
    if (rule.from == target && !rule.base.is_empty()) {
      for (const std::string_view kind : kMadeOfTemplates) {
        add_lost(out, parse_kind(kind), {Severity::kCritical, is_near});
      }
    }
  }
  if (target.kind == "CustomResourceDefinition") {
    for (const Resource& resource : served.resources()) {
      if (name == resource.plural + "." + resource.group) {
        add_lost(out, {resource.group, resource.kind}, {Severity::kCritical, false});
      }
    }
  }
  return out;
}

/// The worst that is lost with objects of a kind that go along.
Severity own_loss_of(const ReferenceTable& table, const ObjectKind& kind) {
  Severity out = table.is_modelled(kind) ? Severity::kNone : Severity::kMedium;
  for (const DeletedKind& row : table.deleted()) {
    if (row.kind == kind) out = std::max(out, row.severity);
  }
  return out;
}

}  // namespace

bool has_contents(const ResourceTable& served, const Resource& resource) {
  const auto stands_for_it = [&](const Resource& other) {
    return other.group != resource.group && other.plural == resource.plural;
  };
  return resource.is_preferred && resource.can("list") && resource.can("delete") &&
         resource.kind != "Event" &&
         (resource.group != "extensions" ||
          !std::ranges::any_of(served.resources(), stands_for_it));
}

ImpactLists lists_for(const ReferenceTable& table, const ResourceTable& served,
                      const ObjectKind& target, std::string_view name, std::string_view name_space,
                      int depth) {
  const bool is_near = !name_space.empty();
  KindSearch search(table);
  for (const std::string_view kind : kAlwaysListed) search.want(parse_kind(kind), is_near);
  search.run(lost_with(table, served, target, name, is_near), target, depth);
  ImpactLists out;
  std::set<const Resource*> listed;
  for (const KindSearch::Wanted& wanted : search.wanted()) {
    const Resource* resource = served_resource(served, wanted.kind);
    if (resource == nullptr || !listed.insert(resource).second) continue;
    const bool is_beside = resource->is_namespaced && wanted.is_near;
    const bool is_inside = target == kNamespaceKind && resource->is_namespaced;
    const Severity inside = is_inside ? own_loss_of(table, wanted.kind) : Severity::kNone;
    out.lists.push_back({resource, is_beside ? std::string(name_space) : "",
                         std::max({inside, wanted.may_hide, search.hidden_with(wanted.kind)})});
  }
  // All that a namespace holds, and all objects of a definition.
  for (const Resource& resource : served.resources()) {
    const bool is_content = (target == kNamespaceKind && resource.is_namespaced) ||
                            (target.kind == "CustomResourceDefinition" && !resource.group.empty() &&
                             name == resource.plural + "." + resource.group);
    if (!is_content || !has_contents(served, resource) || !listed.insert(&resource).second) {
      continue;
    }
    // Those that nobody knows may refer to the namespace from elsewhere.
    const bool is_beside =
        target == kNamespaceKind && table.is_modelled({resource.group, resource.kind});
    const ObjectKind kind{resource.group, resource.kind};
    out.lists.push_back({&resource, is_beside ? std::string(name) : "",
                         std::max(own_loss_of(table, kind), search.hidden_with(kind))});
  }
  for (const Resource& resource : served.resources()) {
    const ObjectKind kind{resource.group, resource.kind};
    if (!resource.is_preferred || !resource.can("list") || table.is_modelled(kind) ||
        listed.contains(&resource)) {
      continue;
    }
    if (out.lists.size() - listed.size() < kUnknownKindsMax) {
      out.lists.push_back({&resource, "", Severity::kNone});
    } else {
      out.left_out.push_back(kind);
    }
  }
  return out;
}

}  // namespace filecall::worker::kube
