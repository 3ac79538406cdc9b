// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_managers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kSignBytes = 120;

/// A name that somebody in the cluster wrote.
std::string in_quotes(std::string_view name) {
  return fmt::format("'{}'", excerpt(name, kSignBytes));
}

std::string of_label(const Json& object, const char* name) {
  return text_member(member(member(object, "metadata"), "labels"), name);
}

std::string of_annotation(const Json& object, const char* name) {
  return text_member(member(member(object, "metadata"), "annotations"), name);
}

bool has_manager(const std::vector<FieldOwners::Fields>& managers, std::string_view name) {
  return std::ranges::any_of(
      managers, [&](const FieldOwners::Fields& fields) { return fields.manager.name == name; });
}

std::string joined(const std::string& name_space, const std::string& name) {
  return in_quotes(name_space.empty() ? name : name_space + "/" + name);
}

/// Flux leaves alone what says so, as a label or as an annotation.
std::string flux_exception(const Json& object) {
  const auto says = [&](const char* name, std::string_view value) {
    return of_label(object, name) == value || of_annotation(object, name) == value;
  };
  constexpr const char* kReconcile = "kustomize.toolkit.fluxcd.io/reconcile";
  constexpr const char* kApply = "kustomize.toolkit.fluxcd.io/ssa";
  if (says(kReconcile, "disabled")) return "kustomize.toolkit.fluxcd.io/reconcile: disabled";
  if (says(kApply, "Ignore")) return "kustomize.toolkit.fluxcd.io/ssa: Ignore";
  if (says(kApply, "IfNotPresent")) return "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent";
  return "";
}

std::string flux_kustomization(const Json& object,
                               const std::vector<FieldOwners::Fields>& managers) {
  const std::string name = of_label(object, "kustomize.toolkit.fluxcd.io/name");
  if (name.empty() && !has_manager(managers, "kustomize-controller")) return "";
  const std::string who =
      name.empty() ? "a Kustomization of Flux manages this object (manager kustomize-controller)"
                   : fmt::format(
                         "Flux Kustomization {} manages this object (label "
                         "kustomize.toolkit.fluxcd.io/name)",
                         joined(of_label(object, "kustomize.toolkit.fluxcd.io/namespace"), name));
  if (const std::string exception = flux_exception(object); !exception.empty()) {
    return fmt::format("{}, and leaves it as it is: it has {}", who, exception);
  }
  return who +
         ": its next reconciliation sets the fields again that its source has, and makes the "
         "object again when it is gone; change the source instead";
}

std::string flux_helm_release(const Json& object,
                              const std::vector<FieldOwners::Fields>& managers) {
  const std::string name = of_label(object, "helm.toolkit.fluxcd.io/name");
  if (name.empty() && !has_manager(managers, "helm-controller")) return "";
  const std::string who =
      name.empty() ? "a HelmRelease of Flux manages this object (manager helm-controller)"
                   : fmt::format(
                         "Flux HelmRelease {} manages this object (label "
                         "helm.toolkit.fluxcd.io/name)",
                         joined(of_label(object, "helm.toolkit.fluxcd.io/namespace"), name));
  return who +
         ": its next upgrade, or its detection of drift where that is on, may undo this write; "
         "change the values of the HelmRelease or its chart instead";
}

/// `app:group/Kind:namespace/name`, of the object that it was written for: Argo CD itself passes
/// over copies of it. nullopt: it is of another one. `shop_web` is the application web in shop.
std::optional<std::string> application_of(const std::string& tracking, const Json& object) {
  const std::size_t last = tracking.rfind(':');
  const std::size_t first =
      last == tracking.npos || last == 0 ? tracking.npos : tracking.rfind(':', last - 1);
  if (first == tracking.npos) return std::nullopt;
  const std::string type = tracking.substr(first + 1, last - first - 1);
  const std::string place = tracking.substr(last + 1);
  const std::size_t slash = place.find('/');
  if (slash == place.npos) return std::nullopt;
  const Json& metadata = member(object, "metadata");
  const std::string name_space = text_member(metadata, "namespace");
  const bool is_it = type.substr(type.find('/') + 1) == text_member(object, "kind") &&
                     place.substr(slash + 1) == text_member(metadata, "name") &&
                     (name_space.empty() || place.substr(0, slash) == name_space);
  if (!is_it) return std::nullopt;
  std::string application = tracking.substr(0, first);
  std::replace(application.begin(), application.end(), '_', '/');
  return application;
}

std::string argo_application(const Json& object, const std::vector<FieldOwners::Fields>& managers) {
  std::string name;
  std::string sign;
  const std::string tracking = of_annotation(object, "argocd.argoproj.io/tracking-id");
  if (const auto application = application_of(tracking, object)) {
    name = *application;
    sign = "annotation argocd.argoproj.io/tracking-id";
  } else if (std::string label = of_label(object, "argocd.argoproj.io/instance"); !label.empty()) {
    name = std::move(label);
    sign = "label argocd.argoproj.io/instance";
  } else if (has_manager(managers, "argocd-controller")) {
    // The label that it uses by default is one that others set, too.
    name = of_label(object, "app.kubernetes.io/instance");
    sign = "manager argocd-controller";
  } else {
    return "";
  }
  return fmt::format(
      "{} manages this object ({}): its next sync sets the fields again that its source has, and "
      "makes the object again when it is gone; where selfHeal is on, at once. Change the source "
      "instead",
      name.empty() ? "an application of Argo CD" : "Argo CD application " + in_quotes(name), sign);
}

std::string helm_release(const Json& object) {
  const std::string name = of_annotation(object, "meta.helm.sh/release-name");
  if (!name.empty()) {
    return fmt::format(
        "Helm release {} manages this object (annotation meta.helm.sh/release-name): its next "
        "upgrade or rollback may undo this write; change the values of the release or its chart "
        "instead",
        joined(of_annotation(object, "meta.helm.sh/release-namespace"), name));
  }
  if (of_label(object, "app.kubernetes.io/managed-by") != "Helm") return "";
  return "a Helm chart made this object (label app.kubernetes.io/managed-by), and no annotation "
         "says which release: the one who renders the chart may undo this write; change its values "
         "or "
         "the chart instead";
}

std::string controller(const Json& object) {
  const Json& owners = member(member(object, "metadata"), "ownerReferences");
  for (const Json& owner : owners.is_array() ? owners : Json::array()) {
    if (member(owner, "controller") != Json(true)) continue;
    return fmt::format(
        "{} {} controls this object (metadata.ownerReferences): it may undo this write, or replace "
        "the object without it; change the {} instead",
        excerpt(text_member(owner, "kind"), kSignBytes), in_quotes(text_member(owner, "name")),
        excerpt(text_member(owner, "kind"), kSignBytes));
  }
  return "";
}

/// Others that say themselves, by a label or an annotation, that they keep an object as they want.
struct Sign {
  const char* name;
  bool is_label;
  std::string_view value;  ///< Empty: any.
  std::string_view who;
  std::string_view instead;
};
constexpr std::array kSigns = std::to_array<Sign>({
    {"kapp.k14s.io/app", true, "", "kapp", "what the app is deployed from"},
    {"objectset.rio.cattle.io/id", false, "", "Rancher (Fleet, or an add-on of k3s)",
     "the bundle or the add-on"},
    {"configmanagement.gke.io/managed", false, "enabled", "Config Sync", "its source"},
    {"addonmanager.kubernetes.io/mode", true, "Reconcile", "the add-on manager of the cluster",
     "the add-on"},
    {"crossplane.io/composite", true, "", "Crossplane", "the composite resource"},
});

bool is_target(const Json& reference, const Json& identity) {
  const auto group = [](const std::string& version) {
    return version.substr(0, std::min(version.find('/'), version.size()));
  };
  const std::string version = text_member(reference, "apiVersion");
  return text_member(reference, "kind") == text_member(identity, "kind") &&
         text_member(reference, "name") == text_member(identity, "name") &&
         (version.empty() || group(version) == group(text_member(identity, "apiVersion")));
}

void add_other_signs(const Json& object, std::vector<std::string>& out) {
  for (const Sign& sign : kSigns) {
    const std::string value =
        sign.is_label ? of_label(object, sign.name) : of_annotation(object, sign.name);
    if (value.empty() || (!sign.value.empty() && value != sign.value)) continue;
    out.push_back(
        fmt::format("{} manages this object ({} {}): it may undo this write; change {} "
                    "instead",
                    sign.who, sign.is_label ? "label" : "annotation", sign.name, sign.instead));
  }
  const std::string by = of_label(object, "app.kubernetes.io/managed-by");
  if (!out.empty() || by.empty()) return;
  out.push_back(
      fmt::format("{} manages this object, by its label app.kubernetes.io/managed-by: it "
                  "may undo this write; change what {} makes it from instead",
                  in_quotes(by), in_quotes(by)));
}

}  // namespace

std::vector<std::string> manager_warnings(const Json& object,
                                          const std::vector<FieldOwners::Fields>& managers) {
  std::vector<std::string> out;
  const auto add = [&](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  add(flux_kustomization(object, managers));
  add(flux_helm_release(object, managers));
  add(argo_application(object, managers));
  // These use the annotations of Helm or its charts: the one who decides is named already.
  if (out.empty()) add(helm_release(object));
  add(controller(object));
  add_other_signs(object, out);
  if (out.size() > kManagerWarningsMax) out.resize(kManagerWarningsMax);
  return out;
}

std::vector<std::string> autoscaler_warnings(const Json& items, const Json& identity,
                                             std::optional<std::int64_t> replicas) {
  std::vector<std::string> out;
  for (const Json& item : items.is_array() ? items : Json::array()) {
    const Json& spec = member(item, "spec");
    if (!is_target(member(spec, "scaleTargetRef"), identity)) continue;
    if (out.size() >= kManagerWarningsMax) break;
    const auto most = count_member(spec, "maxReplicas");
    const std::int64_t least = count_member(spec, "minReplicas").value_or(1);
    out.push_back(fmt::format(
        "HorizontalPodAutoscaler {} sets these replicas, from {} to {} (its scaleTargetRef): {}; "
        "change its minReplicas and maxReplicas instead",
        in_quotes(text_member(member(item, "metadata"), "name")), least,
        most ? std::to_string(*most) : "?",
        // An autoscaler lets alone what stands at zero, unless it may scale to zero itself.
        replicas == 0 && least > 0 ? "it stands still as long as there are 0"
                                   : "it may set another number at any time"));
  }
  return out;
}

}  // namespace filecall::worker::kube
