// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ipc/json_text.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/yaml_reader.h"

namespace filecall::worker::kube {
namespace {

/// Kinds of Kubernetes itself; every kind of Istio and of the Gateway API is of this form too.
constexpr std::array kSpecKinds = std::to_array<std::string_view>({"Pod",
                                                                   "Service",
                                                                   "ReplicationController",
                                                                   "PersistentVolume",
                                                                   "PersistentVolumeClaim",
                                                                   "ResourceQuota",
                                                                   "LimitRange",
                                                                   "Node",
                                                                   "Namespace",
                                                                   "Deployment",
                                                                   "ReplicaSet",
                                                                   "StatefulSet",
                                                                   "DaemonSet",
                                                                   "Job",
                                                                   "CronJob",
                                                                   "HorizontalPodAutoscaler",
                                                                   "PodDisruptionBudget",
                                                                   "Ingress",
                                                                   "IngressClass",
                                                                   "NetworkPolicy",
                                                                   "CustomResourceDefinition",
                                                                   "CertificateSigningRequest",
                                                                   "APIService",
                                                                   "FlowSchema",
                                                                   "PriorityLevelConfiguration",
                                                                   "Lease",
                                                                   "CSIDriver",
                                                                   "CSINode",
                                                                   "VolumeAttachment",
                                                                   "ResourceClaim",
                                                                   "ResourceClaimTemplate",
                                                                   "DeviceClass"});
constexpr std::array kSpecGroups = std::to_array<std::string_view>(
    {"networking.istio.io", "security.istio.io", "telemetry.istio.io", "extensions.istio.io",
     "gateway.networking.k8s.io"});
constexpr std::array kServerMetadata = std::to_array<std::string_view>(
    {"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp", "selfLink",
     "deletionTimestamp", "deletionGracePeriodSeconds", "generateName"});
constexpr std::array kTopMembers =
    std::to_array<std::string_view>({"apiVersion", "kind", "metadata", "status", "spec"});

template <std::size_t N>
bool lists(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Unexpected<Error> bad_manifest(std::string reason) {
  return fail(ErrorCode::kInvalidArgument, "manifest: " + std::move(reason));
}

Result<Json> base_of(std::optional<std::string_view> yaml) {
  if (!yaml) return Json(Json::object());
  TRY_ASSIGN(std::vector<Json> documents, read_yaml(*yaml));
  if (documents.size() != 1) {
    return bad_manifest(
        fmt::format("manifestYaml holds {} documents; give exactly one", documents.size()));
  }
  if (!documents[0].is_object()) return bad_manifest("manifestYaml is not a mapping");
  const std::string_view kind = kind_of(documents[0]);
  if (kind.ends_with("List") && documents[0].contains("items")) {
    return bad_manifest("manifestYaml is a list; give exactly one object");
  }
  return std::move(documents[0]);
}

/// `values` with the settings of its kind where they belong.
Json wrapped(const ObjectIdentity& identity, const Json& values) {
  if (values.contains("spec") ||
      !keeps_settings_in_spec(group_of(identity.api_version), identity.kind)) {
    return values;
  }
  Json out = Json::object();
  Json spec = Json::object();
  for (const auto& [key, value] : values.items())
    (lists(kTopMembers, key) ? out : spec)[key] = value;
  if (!spec.empty()) out["spec"] = std::move(spec);
  return out;
}

class Building {
 public:
  explicit Building(Json base) { built_.manifest = std::move(base); }

  Result<void> merge_values(const Json& values) {
    for (const auto& [key, value] : values.items()) {
      if (key == "metadata") {
        TRY(merge_metadata(value));
      } else if (key == "apiVersion" || key == "kind") {
        if (!built_.manifest.contains(key)) built_.manifest[key] = value;
      } else {
        built_.manifest[key] = value;
      }
    }
    return {};
  }

  Result<void> set_identity(const ObjectIdentity& identity) {
    Json& manifest = built_.manifest;
    set(manifest, "apiVersion", identity.api_version, "apiVersion");
    set(manifest, "kind", identity.kind, "kind");
    Json& metadata = manifest["metadata"];
    if (metadata.is_null()) metadata = Json::object();
    if (!metadata.is_object()) return bad_manifest("metadata is not a mapping");
    set(metadata, "name", identity.name, "metadata.name");
    set(metadata, "namespace", identity.ns, "metadata.namespace");
    return {};
  }

  Result<void> leave_only_the_status() {
    Json& manifest = built_.manifest;
    if (!manifest.contains("status")) return bad_manifest("there is no status to write");
    Json kept = Json::object();
    for (auto& [key, value] : manifest.items()) {
      if (key == "apiVersion" || key == "kind" || key == "metadata" || key == "status") {
        kept[key] = std::move(value);
      } else {
        built_.notes.push_back(
            fmt::format("{} left out: subresource status writes the status alone", key));
      }
    }
    manifest = std::move(kept);
    return {};
  }

  void leave_out_what_the_server_sets(WrittenPart part) {
    Json& metadata = built_.manifest["metadata"];
    for (const std::string_view member : kServerMetadata) {
      if (metadata.erase(std::string(member)) > 0) {
        built_.notes.push_back(
            fmt::format("metadata.{} left out: only the server sets it", member));
      }
    }
    if (part == WrittenPart::kObject && built_.manifest.erase("status") > 0) {
      built_.notes.emplace_back("status left out: a write of the object does not change it");
    }
  }

  BuiltManifest take() { return std::move(built_); }

 private:
  Result<void> merge_metadata(const Json& values) {
    if (values.is_null()) return {};
    if (!values.is_object()) return bad_manifest("values.metadata is not an object");
    Json& metadata = built_.manifest["metadata"];
    if (metadata.is_null()) metadata = Json::object();
    if (!metadata.is_object()) return bad_manifest("metadata is not a mapping");
    for (const auto& [key, value] : values.items()) {
      if (key != "labels" && key != "annotations") {
        metadata[key] = value;
        continue;
      }
      if (!value.is_object()) return bad_manifest(fmt::format("metadata.{} is not an object", key));
      Json& target = metadata[key];
      if (!target.is_object()) target = Json::object();
      target.update(value);
    }
    return {};
  }

  /// An empty value means that the member must not be there.
  void set(Json& object, const char* member, const std::string& value, std::string_view path) {
    const auto found = object.find(member);
    const bool is_there = found != object.end() && !found->is_null();
    if (is_there && *found != Json(value)) {
      built_.notes.push_back(
          value.empty()
              ? fmt::format("{} {} left out: the kind has none", path, excerpt(dump_json(*found)))
              : fmt::format("{} {} replaced by \"{}\", which is written to", path,
                            excerpt(dump_json(*found)), value));
    }
    if (value.empty()) {
      object.erase(member);
    } else {
      object[member] = value;
    }
  }

  BuiltManifest built_;
};

}  // namespace

Result<void> check_kind(const ObjectIdentity& identity, const Json& text, std::string_view source) {
  const auto mistake = [&](const char* member, const std::string& wanted) {
    return bad_manifest(fmt::format(
        "{}{} is {}, and the arguments name {}; nothing was written: make them the same", source,
        member, excerpt(dump_json(text[member])), wanted));
  };
  if (const auto kind = text.find("kind");
      kind != text.end() && !kind->is_null() && *kind != Json(identity.kind)) {
    return mistake("kind", identity.kind);
  }
  const auto version = text.find("apiVersion");
  if (version == text.end() || version->is_null()) return {};
  if (!version->is_string() ||
      group_of(version->get_ref<const std::string&>()) != group_of(identity.api_version)) {
    return mistake("apiVersion", fmt::format("{} {}", identity.api_version, identity.kind));
  }
  return {};
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

bool keeps_settings_in_spec(std::string_view group, std::string_view kind) {
  if (lists(kSpecGroups, group)) return true;
  const bool is_builtin =
      group.empty() || group.find('.') == std::string_view::npos || group.ends_with(".k8s.io");
  return is_builtin && lists(kSpecKinds, kind);
}

Result<BuiltManifest> build_manifest(const ObjectIdentity& identity, const Json& values,
                                     std::optional<std::string_view> yaml, WrittenPart part) {
  if (!values.is_null() && !values.is_object()) return bad_manifest("values is not an object");
  if (values.is_null() && !yaml) {
    return bad_manifest("nothing to write; give values or manifestYaml");
  }
  TRY_ASSIGN(Json base, base_of(yaml));
  TRY(check_kind(identity, base, "manifestYaml: "));
  if (values.is_object()) TRY(check_kind(identity, values, "values: "));
  Building building(std::move(base));
  const bool is_status = part == WrittenPart::kStatus;
  if (values.is_object()) {
    TRY(building.merge_values(is_status ? values : wrapped(identity, values)));
  }
  TRY(building.set_identity(identity));
  if (is_status) {
    TRY(building.leave_only_the_status());
  }
  building.leave_out_what_the_server_sets(part);
  return building.take();
}

}  // namespace filecall::worker::kube
