// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/reference_reading.h"

#include <algorithm>
#include <utility>

#include "base/take_until.h"
#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {

ReferenceReading::ReferenceReading(const ObjectKind& kind, const Json& object)
    : object_(object), places_(kind, object), names_(object, places_) {}

void ReferenceReading::rule(const ReferenceRule& rule) {
  if (rule.is_of_mesh && !is_for_sidecars()) return;
  rule_ = &rule;
  places_.begin(rule);
  const std::size_t before = places_.size();
  bool is_there = false;
  const auto read = [&](const FoundField& found) {
    is_there = true;
    field(found);
  };
  rule.path.visit(object_, read);
  if (!is_there && !rule.alias.is_empty()) rule.alias.visit(object_, read);
  if (places_.size() == before && !rule.everything_unless.empty()) everything(rule);
  if (places_.size() != before || rule.base_default.empty()) return;
  rule.base.visit(object_, [&](const FoundField& base) {
    if (!base.value->is_object()) return;
    Reference reference = started(base);
    reference.name = rule.base_default;
    places_.place(base, std::move(reference), "");
  });
}

void ReferenceReading::everything(const ReferenceRule& rule) {
  const auto is_there = [&](const FieldPath& path) {
    const Json* found = path.at(object_, {});
    return found != nullptr && !found->empty();
  };
  if (std::ranges::any_of(rule.everything_unless, is_there)) return;
  FoundField whole;
  whole.value = whole.parent = &object_;
  Reference reference = started(whole);
  reference.path = "/spec";
  reference.selector = Json::object();
  places_.place(whole, std::move(reference), "");
}

bool ReferenceReading::is_for_sidecars() const {
  const auto spec = object_.find("spec");
  if (spec == object_.end() || !spec->is_object()) return true;
  const auto gateways = spec->find("gateways");
  return gateways == spec->end() || gateways->empty() ||
         std::find(gateways->begin(), gateways->end(), Json("mesh")) != gateways->end();
}

bool ReferenceReading::holds(const FieldEquals& condition, const Json& object,
                             const FoundField& found) {
  const Json* value = condition.path.at(object, found.indices);
  return value != nullptr && *value == Json(condition.value);
}

Reference ReferenceReading::started(const FoundField& found) const {
  Reference out;
  out.rule = rule_;
  out.path = found.pointer;
  out.kinds = rule_->to;
  out.severity = rule_->target_deleted;
  for (const auto& [condition, severity] : rule_->severity_when) {
    if (holds(condition, object_, found)) out.severity = severity;
  }
  const Json* optional =
      rule_->optional.is_empty() ? nullptr : rule_->optional.at(object_, found.indices);
  out.is_optional = optional != nullptr && *optional == Json(true);
  if (const Json* key = rule_->key.is_empty() ? nullptr : rule_->key.at(object_, found.indices);
      key != nullptr && key->is_string()) {
    out.key = key->get<std::string>();
  }
  return out;
}

void ReferenceReading::field(const FoundField& found) {
  if (rule_->when && !holds(*rule_->when, object_, found)) return;
  Reference out = started(found);
  switch (rule_->match) {
    case ReferenceMatch::kLabels:
      return selector(found, {{"matchLabels", *found.value}}, out);
    case ReferenceMatch::kSelector:
    case ReferenceMatch::kNodeSelector:
      return selector(found, *found.value, out);
    case ReferenceMatch::kObject:
    case ReferenceMatch::kGrant:
      return object(found, out);
    case ReferenceMatch::kOwner:
      return owner(found, out);
    case ReferenceMatch::kSubject:
      return subject(found, out);
    case ReferenceMatch::kGroupKind:
      return;
    case ReferenceMatch::kTraefik:
      if (found.value->is_object()) return object(found, out);
      break;
    default:
      break;
  }
  if (!found.value->is_string()) return;
  const std::string& text = found.value->get_ref<const std::string&>();
  // Templates of a driver ("${pvc.name}") are filled in later by others.
  if (text.empty() || text.find("${") != std::string::npos) return;
  names_.read(found, text, std::move(out));
}

void ReferenceReading::selector(const FoundField& found, Json selector, Reference& out) {
  const bool is_map = rule_->match == ReferenceMatch::kLabels;
  if (!selector.is_object() || (is_map && !found.value->is_object())) return;
  // An empty map of labels selects nothing (Service); an empty LabelSelector selects all.
  if (is_map && found.value->empty()) return;
  out.selector = std::move(selector);
  places_.place(found, std::move(out), "");
}

std::string ReferenceReading::text_field(const Json& value, std::string_view field) const {
  if (const auto name = rule_->fields.find(field); name != rule_->fields.end()) {
    if (const std::string_view text = text_of(value, name->second); !text.empty()) {
      return std::string(text);
    }
  }
  const auto found = rule_->defaults.find(field);
  return found == rule_->defaults.end() ? std::string() : found->second;
}

void ReferenceReading::object(const FoundField& found, Reference& out) {
  if (!found.value->is_object()) return;
  out.name = text_field(*found.value, "name");
  if (out.name.empty() && rule_->match == ReferenceMatch::kGrant) {
    out.name = "*";
    out.is_pattern = true;
  }
  out.uid = text_field(*found.value, "uid");
  if (out.name.empty()) return;
  if (rule_->match == ReferenceMatch::kTraefik && out.name.find('@') != std::string::npos) {
    const std::string name = std::exchange(out.name, "");
    return names_.read(found, name, std::move(out));
  }
  const std::string kind = text_field(*found.value, "kind");
  if (!kind.empty()) out.kinds = {{group_field(*found.value, kind), kind}};
  if (out.kinds.size() > 1) out.kinds.resize(1);
  places_.place(found, std::move(out), text_field(*found.value, "namespace"));
}

std::string ReferenceReading::group_field(const Json& value, const std::string& kind) const {
  if (const std::string version = text_field(value, "apiVersion"); !version.empty()) {
    return std::string(group_of(version));
  }
  if (const auto name = rule_->fields.find("group");
      name != rule_->fields.end() && value.contains(name->second)) {
    return std::string(text_of(value, name->second));
  }
  for (const ObjectKind& to : rule_->to) {
    if (to.kind == kind) return to.group;
  }
  return text_field(value, "group");
}

void ReferenceReading::owner(const FoundField& found, Reference& out) {
  const Json& value = *found.value;
  const std::string_view kind = text_of(value, "kind");
  out.name = text_of(value, "name");
  if (kind.empty() || out.name.empty()) return;
  out.kinds = {{std::string(group_of(text_of(value, "apiVersion"))), std::string(kind)}};
  out.uid = text_of(value, "uid");
  out.is_controller = value.value("controller", Json()) == Json(true);
  places_.place(found, std::move(out), "");
}

void ReferenceReading::subject(const FoundField& found, Reference& out) {
  const std::string_view kind = text_of(*found.value, "kind");
  std::string_view name = text_of(*found.value, "name");
  constexpr std::string_view kUser = "system:serviceaccount:";
  constexpr std::string_view kGroup = "system:serviceaccounts";
  if (kind == "ServiceAccount" && !name.empty()) {
    out.name = name;
    const std::string_view ns = text_of(*found.value, "namespace");
    return places_.add(std::move(out), ns.empty() ? std::string_view(places_.own_namespace()) : ns);
  }
  if (kind == "User" && name.starts_with(kUser)) {
    name.remove_prefix(kUser.size());
    const std::string_view ns = take_until(&name, ':');
    out.name = name;
    return places_.add(std::move(out), ns);
  }
  if (kind != "Group" || !name.starts_with(kGroup)) return;
  name.remove_prefix(kGroup.size());
  out.name = "*";
  out.is_pattern = true;
  if (name.empty()) return places_.add_anywhere(std::move(out));
  if (name.starts_with(':')) places_.add(std::move(out), name.substr(1));
}

}  // namespace filecall::worker::kube
