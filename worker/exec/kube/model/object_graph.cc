// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_graph.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/take_until.h"
#include "worker/exec/kube/model/label_selector.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/possible_references.h"

namespace filecall::worker::kube {
namespace {

const Json& metadata_member(const Json& object, const char* member) {
  static const Json kNothing;
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return kNothing;
  const auto found = metadata->find(member);
  return found == metadata->end() ? kNothing : *found;
}

const Json& spec_member(const Json& object, const char* member) {
  static const Json kNothing;
  const auto spec = object.find("spec");
  if (spec == object.end() || !spec->is_object()) return kNothing;
  const auto found = spec->find(member);
  return found == spec->end() ? kNothing : *found;
}

/// Where an object of Istio, or a Service by its annotation, can be seen.
Json export_list(const GraphObject& object) {
  if (object.kind.kind != "Service") return spec_member(object.object, "exportTo");
  const std::string_view text =
      text_of(metadata_member(object.object, "annotations"), "networking.istio.io/exportTo");
  Json out = Json::array();
  for (std::string_view rest = text; !rest.empty();) {
    out.push_back(std::string(take_until(&rest, ',')));
  }
  return out;
}

bool has_subset(const GraphObject& rule, const std::string& name) {
  const Json& subsets = spec_member(rule.object, "subsets");
  return subsets.is_array() && std::any_of(subsets.begin(), subsets.end(), [&](const Json& subset) {
           return text_of(subset, "name") == name;
         });
}

/// What answers for hosts.
constexpr std::array kServerKinds =
    std::to_array<std::string_view>({"Service", "networking.istio.io/ServiceEntry"});

/// The host that a DestinationRule is for.
IstioHost host_of_rule(const GraphObject& rule) {
  const Json& host = spec_member(rule.object, "host");
  return read_istio_host(host.is_string() ? host.get_ref<const std::string&>() : "", rule.ns);
}

/// Whether a Service or ServiceEntry sends to the pod, if that is in its namespace.
bool selects_pod(const GraphObject& server, const GraphObject& pod) {
  const bool is_service = server.kind.kind == "Service";
  const Json& selector = spec_member(server.object, is_service ? "selector" : "workloadSelector");
  if (!selector.is_object()) return false;
  const Json labels = is_service ? selector : selector.value("labels", Json::object());
  return labels.is_object() && !labels.empty() &&
         selector_matches({{"matchLabels", labels}}, metadata_member(pod.object, "labels"));
}

}  // namespace

void ObjectGraph::add(const ObjectKind& kind, Json object) {
  GraphObject entry{kind,
                    metadata_text(object, "namespace"),
                    metadata_text(object, "name"),
                    metadata_text(object, "uid"),
                    {},
                    {},
                    false};
  if (entry.name.empty() || find(kind, entry.ns, entry.name)) return;
  entry.object = std::move(object);
  const std::string text = kind_text(kind);
  by_kind_[text].push_back(objects_.size());
  by_name_[{text, entry.name}].push_back(objects_.size());
  by_plain_name_[entry.name].push_back(objects_.size());
  objects_.push_back(std::move(entry));
}

std::optional<std::size_t> ObjectGraph::find(const ObjectKind& kind, std::string_view ns,
                                             std::string_view name) const {
  const auto found = by_name_.find({kind_text(kind), std::string(name)});
  if (found == by_name_.end()) return std::nullopt;
  for (const std::size_t index : found->second) {
    if (objects_[index].ns == ns) return index;
  }
  return std::nullopt;
}

void ObjectGraph::link() {
  CHECK(out_.empty(), "a graph is linked once");
  out_.resize(objects_.size());
  in_.resize(objects_.size());
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    GraphObject& source = objects_[i];
    source.references = references_of(table_, source.kind, source.object, &source.is_cut);
    for (const Reference& reference : source.references) {
      const std::vector<std::size_t> targets = targets_of(source, reference);
      for (const std::size_t target : targets) {
        if (target == i) continue;
        const GraphEdge edge{i, target, &reference, targets.size()};
        out_[i].push_back(edge);
        in_[target].push_back(edge);
      }
    }
  }
}

std::vector<std::size_t> ObjectGraph::candidates(const Reference& reference) const {
  std::vector<std::size_t> out;
  if (reference.rule->match == ReferenceMatch::kPossible) {
    const auto found = by_plain_name_.find(reference.name);
    return found == by_plain_name_.end() ? out : found->second;
  }
  for (const ObjectKind& kind : reference.kinds) {
    const std::string text = kind_text(kind);
    // A ServiceEntry serves hosts, whatever it is called itself.
    const bool is_by_name = !reference.name.empty() && !reference.is_pattern &&
                            (!reference.host || kind.kind == "Service");
    if (is_by_name) {
      const auto found = by_name_.find({text, reference.name});
      if (found != by_name_.end()) {
        out.insert(out.end(), found->second.begin(), found->second.end());
      }
    } else if (const auto found = by_kind_.find(text); found != by_kind_.end()) {
      out.insert(out.end(), found->second.begin(), found->second.end());
    }
  }
  return out;
}

std::vector<std::size_t> ObjectGraph::targets_of(const GraphObject& source,
                                                 const Reference& reference) const {
  std::vector<std::size_t> out;
  for (const std::size_t index : candidates(reference)) {
    if (fits(source, reference, objects_[index])) out.push_back(index);
  }
  if (out.empty()) return out;
  if (reference.rule->ns == "of-host") return behind_host(source, std::move(out));
  if (reference.rule->ns != "of-proxy") return out;
  const std::vector<std::string> proxies = proxy_namespaces(source);
  if (proxies.empty()) return out;
  std::erase_if(out, [&](std::size_t index) {
    return std::find(proxies.begin(), proxies.end(), objects_[index].ns) == proxies.end();
  });
  return out;
}

bool ObjectGraph::is_in_place(const Reference& reference, const GraphObject& target) const {
  if (reference.where == Reference::Where::kNamespaces) {
    const auto& names = reference.namespaces;
    if (std::find(names.begin(), names.end(), target.ns) != names.end()) return true;
    if (reference.namespace_selector.is_null()) return false;
  }
  if (reference.namespace_selector.is_null()) return true;
  const auto ns = find({"", "Namespace"}, "", target.ns);
  // A namespace that was not read may have the labels.
  return !ns || selector_matches(reference.namespace_selector,
                                 metadata_member(objects_[*ns].object, "labels"));
}

bool ObjectGraph::fits(const GraphObject& source, const Reference& reference,
                       const GraphObject& target) const {
  if (reference.rule->match == ReferenceMatch::kPossible) {
    const auto& kinds = reference.kinds;
    const bool is_kind = reference.hint.empty()
                             ? std::ranges::find(kinds, target.kind) != kinds.end()
                             : may_mean(reference.hint, target.kind.kind);
    return is_kind && is_in_place(reference, target);
  }
  if (reference.host) return serves_host(source, reference, target);
  if (!is_in_place(reference, target)) return false;
  if (!reference.uid.empty() && !target.uid.empty() && reference.uid != target.uid) return false;
  if (!reference.served_kind.empty()) {
    return spec_member(target.object, "group") == Json(source.kind.group) &&
           text_of(spec_member(target.object, "names"), "kind") == reference.served_kind;
  }
  if (!reference.selector.is_null()) {
    return selector_matches(reference.selector, metadata_member(target.object, "labels"));
  }
  return reference.is_pattern ? glob_matches(reference.name, target.name)
                              : reference.name == target.name;
}

bool ObjectGraph::serves_host(const GraphObject& source, const Reference& reference,
                              const GraphObject& target) const {
  const IstioHost& host = *reference.host;
  const bool is_placed =
      reference.where == Reference::Where::kNamespaces && host.form != IstioHost::Form::kService;
  if (is_placed && !is_in_place(reference, target)) return false;
  if (reference.subset.empty()) return serves(target, host, source.ns);
  return is_exported_to(export_list(target), target.ns, source.ns) &&
         hosts_overlap(host.host, host_of_rule(target).host) &&
         has_subset(target, reference.subset);
}

bool ObjectGraph::serves(const GraphObject& server, const IstioHost& host,
                         std::string_view from) const {
  if (!is_exported_to(export_list(server), server.ns, from)) return false;
  if (server.kind.kind == "Service") {
    return hosts_overlap(host.host, service_host(server.name, server.ns)) &&
           (host.form != IstioHost::Form::kService ||
            (server.name == host.name && server.ns == host.ns));
  }
  const Json& hosts = spec_member(server.object, "hosts");
  return hosts.is_array() && std::any_of(hosts.begin(), hosts.end(), [&](const Json& served) {
           return served.is_string() &&
                  hosts_overlap(host.host, served.get_ref<const std::string&>());
         });
}

std::vector<std::size_t> ObjectGraph::behind_host(const GraphObject& rule,
                                                  std::vector<std::size_t> pods) const {
  const IstioHost host = host_of_rule(rule);
  std::vector<const GraphObject*> servers;
  for (const std::string_view kind : kServerKinds) {
    const auto known = by_kind_.find(kind);
    if (known == by_kind_.end()) continue;
    for (const std::size_t index : known->second) {
      if (serves(objects_[index], host, rule.ns)) servers.push_back(&objects_[index]);
    }
  }
  std::erase_if(pods, [&](std::size_t pod) {
    return std::none_of(servers.begin(), servers.end(), [&](const GraphObject* server) {
      return server->ns == objects_[pod].ns && selects_pod(*server, objects_[pod]);
    });
  });
  return pods;
}

std::vector<std::string> ObjectGraph::proxy_namespaces(const GraphObject& gateway) const {
  std::vector<std::string> out;
  const Json& selector = spec_member(gateway.object, "selector");
  const auto pods = by_kind_.find("Pod");
  if (!selector.is_object() || selector.empty() || pods == by_kind_.end()) return out;
  for (const std::size_t pod : pods->second) {
    const Json& labels = metadata_member(objects_[pod].object, "labels");
    if (selector_matches({{"matchLabels", selector}}, labels)) out.push_back(objects_[pod].ns);
  }
  return out;
}

}  // namespace filecall::worker::kube
