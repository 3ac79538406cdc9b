// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/reference_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "embedded/reference_files.h"
#include "worker/exec/kube/model/label_selector.h"
#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

constexpr std::array kMatches = std::to_array<std::pair<std::string_view, ReferenceMatch>>({
    {"name", ReferenceMatch::kName},
    {"param", ReferenceMatch::kObject},
    {"label-value", ReferenceMatch::kLabelValue},
    {"same-name", ReferenceMatch::kSameName},
    {"produces", ReferenceMatch::kProduces},
    {"slash-name", ReferenceMatch::kSlashName},
    {"wildcard-name", ReferenceMatch::kWildcardName},
    {"pattern", ReferenceMatch::kPattern},
    {"implied", ReferenceMatch::kImplied},
    {"group-kind-name", ReferenceMatch::kObject},
    {"apigroup-kind-name", ReferenceMatch::kObject},
    {"api-kind-name", ReferenceMatch::kObject},
    {"kind-name", ReferenceMatch::kObject},
    {"object-ref", ReferenceMatch::kObject},
    {"grant", ReferenceMatch::kGrant},
    {"owner-ref", ReferenceMatch::kOwner},
    {"group-kind", ReferenceMatch::kGroupKind},
    {"subject", ReferenceMatch::kSubject},
    {"labels", ReferenceMatch::kLabels},
    {"selector", ReferenceMatch::kSelector},
    {"node-selector", ReferenceMatch::kNodeSelector},
    {"host", ReferenceMatch::kHost},
    {"url-host", ReferenceMatch::kUrlHost},
    {"istio-host", ReferenceMatch::kIstioHost},
    {"istio-subset", ReferenceMatch::kIstioSubset},
    {"istio-gateway", ReferenceMatch::kIstioGateway},
    {"istio-credential", ReferenceMatch::kIstioCredential},
    {"istio-principal", ReferenceMatch::kIstioPrincipal},
    {"istio-sidecar-host", ReferenceMatch::kIstioSidecarHost},
    {"istio-export", ReferenceMatch::kIstioExport},
    {"mesh-provider", ReferenceMatch::kMeshProvider},
    {"traefik", ReferenceMatch::kTraefik},
});

struct PodSpecMount {
  ObjectKind kind;
  std::string path;
};

std::map<std::string, std::string, std::less<>> texts_of(const Json& row, const char* member) {
  std::map<std::string, std::string, std::less<>> out;
  if (const auto found = row.find(member); found != row.end()) {
    for (const auto& [key, value] : found->items()) out[key] = value.get<std::string>();
  }
  return out;
}

FieldEquals condition_of(std::string_view text, const std::string& prefix) {
  const std::size_t sign = text.find('=');
  return {FieldPath(prefix + std::string(text.substr(0, sign))),
          std::string(text.substr(sign + 1))};
}

std::vector<FieldPath> paths_of(const Json& row, const char* member, const std::string& prefix) {
  std::vector<FieldPath> out;
  if (const auto found = row.find(member); found != row.end()) {
    for (const Json& path : *found) out.emplace_back(prefix + path.get<std::string>());
  }
  return out;
}

DeletedKind deleted_kind(const Json& row) {
  DeletedKind out;
  out.kind = parse_kind(text_of(row, "kind"));
  out.severity = parse_severity(text_of(row, "severity")).value_or(Severity::kInfo);
  out.effect = text_of(row, "effect");
  const std::string_view when = text_of(row, "when");
  out.is_for_contents = when == "contents";
  out.is_for_targets = when == "targets";
  const std::size_t sign = std::min(when.find('='), when.size());
  if (!out.is_for_contents && !out.is_for_targets) out.when = FieldPath(when.substr(0, sign));
  if (sign < when.size()) out.when_value = when.substr(sign + 1);
  for (const Json& reason : row.value("unless", Json::array())) {
    out.is_void_when_idle = out.is_void_when_idle || reason == "idle";
    out.is_void_when_controlled = out.is_void_when_controlled || reason == "controlled";
  }
  return out;
}

/// "{a,b}[].c" as its alternatives.
std::vector<std::string> alternatives(std::string_view path) {
  const std::size_t open = path.find('{');
  const std::size_t close = path.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos) return {std::string(path)};
  std::vector<std::string> out;
  std::string_view names = path.substr(open + 1, close - open - 1);
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    out.push_back(fmt::format("{}{}{}", path.substr(0, open), names.substr(0, comma),
                              path.substr(close + 1)));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return out;
}

class TableReading {
 public:
  Result<void> read_mounts(const Json& mounts) {
    for (const Json& mount : mounts) {
      mounts_.push_back({parse_kind(text_of(mount, "kind")), std::string(text_of(mount, "path"))});
    }
    return {};
  }

  Result<void> read_row(const Json& row) {
    const std::string_view match = text_of(row, "match");
    const auto known = std::find_if(kMatches.begin(), kMatches.end(),
                                    [&](const auto& entry) { return entry.first == match; });
    const auto target = parse_severity(text_of(row, "target_deleted"));
    const auto source = parse_severity(text_of(row, "source_deleted"));
    const auto effect = parse_effect_type(text_of(row, "effect_type"));
    const auto source_effect = parse_effect_type(text_of(row, "source_effect_type"));
    if (known == kMatches.end() || !target || !source || !effect || !source_effect) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("reference table: {}: unknown match, severity or type of effect",
                              dump_json(row)));
    }
    ReferenceRule rule;
    rule.match = known->second;
    rule.match_name = match;
    rule.target_deleted = *target;
    rule.source_deleted = *source;
    rule.effect_type = *effect;
    rule.source_effect_type = *source_effect;
    for (const Json& kind : row["to"]) rule.to.push_back(parse_kind(kind.get<std::string>()));
    rule.ns = text_of(row, "namespace");
    rule.fields = texts_of(row, "fields");
    rule.defaults = texts_of(row, "defaults");
    rule.names = texts_of(row, "map");
    rule.base_default = text_of(row, "default");
    rule.effect = text_of(row, "effect");
    rule.source_effect = text_of(row, "source_effect");
    rule.timing = text_of(row, "timing");
    rule.is_of_mesh = text_of(row, "when") == "mesh";
    const std::string_view from = text_of(row, "from");
    if (from == "PodSpec") {
      for (const PodSpecMount& mount : mounts_) add(row, rule, mount.kind, mount.path);
    } else {
      add(row, rule, parse_kind(from), "");
    }
    return {};
  }

  std::vector<ReferenceRule> take() { return std::move(rules_); }

 private:
  /// Adds a rule for one kind, its paths starting at `base`.
  void add(const Json& row, ReferenceRule rule, const ObjectKind& kind, const std::string& base) {
    const std::string prefix = base.empty() ? "" : base + ".";
    rule.from = kind;
    rule.base = FieldPath(base);
    const std::vector<std::string> paths = alternatives(text_of(row, "path"));
    const std::vector<std::string> optionals = alternatives(text_of(row, "optional"));
    const std::vector<std::string> keys = alternatives(text_of(row, "key"));
    if (rule.ns.starts_with("field:") && rule.ns != "field:namespace") {
      rule.ns_path = FieldPath(prefix + rule.ns.substr(6));
    }
    if (row.contains("alias")) rule.alias = FieldPath(prefix + std::string(text_of(row, "alias")));
    if (row.contains("when") && !rule.is_of_mesh) {
      rule.when = condition_of(text_of(row, "when"), prefix);
    }
    rule.parts = paths_of(row, "parts", prefix);
    rule.everything_unless = paths_of(row, "everything_unless", prefix);
    rule.remade_with = FieldPath(text_of(row, "remade_with"));
    for (const auto& [condition, severity] : texts_of(row, "severity_when")) {
      rule.severity_when.emplace_back(condition_of(condition, prefix),
                                      parse_severity(severity).value_or(Severity::kInfo));
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      rule.path = FieldPath(prefix + paths[i]);
      if (row.contains("optional")) rule.optional = FieldPath(prefix + optionals[i]);
      if (row.contains("key")) rule.key = FieldPath(prefix + keys[i]);
      rules_.push_back(rule);
    }
  }

  std::vector<PodSpecMount> mounts_;
  std::vector<ReferenceRule> rules_;
};

/// A group that has two names: kinds of it refer to those of the same name, others to both.
void add_other_group(std::vector<ReferenceRule>& rules, std::string_view group,
                     const std::string& other) {
  std::vector<ReferenceRule> copies;
  for (ReferenceRule& rule : rules) {
    std::vector<ObjectKind> kinds;
    for (const ObjectKind& to : rule.to) {
      if (to.group == group) kinds.push_back({other, to.kind});
    }
    if (rule.from.group != group) {
      rule.to.insert(rule.to.end(), kinds.begin(), kinds.end());
      continue;
    }
    ReferenceRule copy = rule;
    copy.from.group = other;
    for (ObjectKind& to : copy.to) {
      if (to.group == group) to.group = other;
    }
    copies.push_back(std::move(copy));
  }
  rules.insert(rules.end(), copies.begin(), copies.end());
}

}  // namespace

Result<ReferenceTable> ReferenceTable::parse(const Json& table) {
  ReferenceTable out;
  TableReading reading;
  TRY(reading.read_mounts(table.at("pod_spec")));
  for (const Json& row : table.at("references")) TRY(reading.read_row(row));
  out.rules_ = reading.take();
  for (const auto& [other, group] : texts_of(table, "other_groups")) {
    add_other_group(out.rules_, group, other);
  }
  for (std::size_t place = 0; place < out.rules_.size(); ++place) {
    const ObjectKind& from = out.rules_[place].from;
    if (from.kind != "*") {
      out.rules_by_kind_.try_emplace({from.group, from.kind}, out.rules_for_all_)
          .first->second.push_back(place);
      continue;
    }
    out.rules_for_all_.push_back(place);
    for (auto& [kind, places] : out.rules_by_kind_) places.push_back(place);
  }
  for (const Json& group : table.at("modelled_groups")) {
    out.modelled_groups_.insert(group.get<std::string>());
  }
  for (const Json& kind : table.at("without_references")) {
    out.without_references_.insert(kind.get<std::string>());
  }
  out.possible_.match = ReferenceMatch::kPossible;
  out.possible_.match_name = "possible";
  out.possible_.effect_type = EffectType::kBreaks;
  out.possible_.target_deleted = Severity::kMedium;
  out.possible_.effect =
      "A field that looks like a reference; what its controller does without it is not known.";
  for (const Json& row : table.at("deleted")) out.deleted_.push_back(deleted_kind(row));
  for (const Json& row : table.at("well_known")) {
    WellKnownObject known{parse_kind(text_of(row, "kind")),
                          {},
                          parse_severity(text_of(row, "severity")).value_or(Severity::kInfo),
                          std::string(text_of(row, "note"))};
    for (const Json& name : row.at("names")) known.names.push_back(name.get<std::string>());
    out.well_known_.push_back(std::move(known));
  }
  return out;
}

const ReferenceTable& ReferenceTable::builtin() {
  static const ReferenceTable table = [] {
    for (const EmbeddedFile& file : reference_files()) {
      if (file.name != "reference_table.json") continue;
      Result<ReferenceTable> parsed = parse(Json::parse(file.bytes));
      CHECK(parsed, "the table that is compiled in was checked by the tests");
      return *std::move(parsed);
    }
    CHECK(false, "the table is compiled in");
    return ReferenceTable();
  }();
  return table;
}

std::vector<const ReferenceRule*> ReferenceTable::rules_for(const ObjectKind& kind) const {
  std::vector<const ReferenceRule*> out;
  const auto own = rules_by_kind_.find({kind.group, kind.kind});
  for (const std::size_t place : own != rules_by_kind_.end() ? own->second : rules_for_all_) {
    out.push_back(&rules_[place]);
  }
  return out;
}

bool ReferenceTable::is_modelled(const ObjectKind& kind) const {
  if (without_references_.contains(kind_text(kind))) return true;
  return modelled_groups_.contains(kind.group) && rules_by_kind_.contains({kind.group, kind.kind});
}

bool ReferenceTable::is_known_group(std::string_view group) const {
  return !modelled_groups_.contains(group) &&
         std::ranges::any_of(without_references_, [&](const std::string& kind) {
           return parse_kind(kind).group == group;
         });
}

const WellKnownObject* ReferenceTable::well_known(const ObjectKind& kind, std::string_view ns,
                                                  std::string_view name) const {
  const std::string full = ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
  for (const WellKnownObject& row : well_known_) {
    if (row.kind != kind) continue;
    for (const std::string& pattern : row.names) {
      if (glob_matches(pattern, full)) return &row;
    }
  }
  return nullptr;
}

ObjectKind parse_kind(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {"", std::string(text)};
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

std::string kind_text(const ObjectKind& kind) {
  return kind.group.empty() ? kind.kind : kind.group + "/" + kind.kind;
}

}  // namespace filecall::worker::kube
