// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/structure_names.h"

#include <algorithm>
#include <array>

namespace filecall::worker::kube {
namespace {

constexpr std::array kWhole = std::to_array<std::string_view>({"address",
                                                               "apiGroup",
                                                               "apiGroups",
                                                               "apiVersion",
                                                               "attacher",
                                                               "configMap",
                                                               "driver",
                                                               "endpoints",
                                                               "exportTo",
                                                               "gateway",
                                                               "gateways",
                                                               "group",
                                                               "host",
                                                               "hosts",
                                                               "image",
                                                               "imagePullSecret",
                                                               "imageID",
                                                               "images",
                                                               "jwksUri",
                                                               "key",
                                                               "keys",
                                                               "kind",
                                                               "matchLabelKeys",
                                                               "name",
                                                               "names",
                                                               "namespace",
                                                               "namespaces",
                                                               "notPrincipals",
                                                               "principals",
                                                               "provisioner",
                                                               "notServiceAccounts",
                                                               "resource",
                                                               "resources",
                                                               "secret",
                                                               "service",
                                                               "serviceAccount",
                                                               "serviceAccounts",
                                                               "serversTransport",
                                                               "subdomain",
                                                               "subset",
                                                               "uid",
                                                               "verbs"});
constexpr std::array kEnds = std::to_array<std::string_view>(
    {"Class", "Host", "Hosts", "Image", "Kind", "Name", "Names", "Namespace", "Namespaces", "Ref",
     "Refs", "Secret", "Secrets", "UID", "-secret-name"});
constexpr std::array kAnnotationEnds = std::to_array<std::string_view>(
    {"-secret",     "/secret",    ".secret",     "-secret-name",     "-configmap",
     "-name",       "/name",      ".name",       "-class",           ".class",
     "/class",      "issuer",     "middlewares", "service",          "certresolver",
     "entrypoints", "-namespace", "tls.options", "serverstransport", "-client-ca",
     "-host",       "hostname",   "client-ca",   "server-ca",        "server-crt",
     "-headers",    "-backend",   "-url"});

}  // namespace

bool is_structure_member(std::string_view key) {
  return std::find(kWhole.begin(), kWhole.end(), key) != kWhole.end() ||
         std::any_of(kEnds.begin(), kEnds.end(),
                     [key](std::string_view end) { return key.ends_with(end); });
}

bool is_structure_annotation(std::string_view key) {
  return std::any_of(kAnnotationEnds.begin(), kAnnotationEnds.end(),
                     [key](std::string_view end) { return key.ends_with(end); });
}

bool is_common_label(std::string_view key) {
  return key == "app" || key == "name" || key == "component" || key == "k8s-app" ||
         key.starts_with("app.kubernetes.io/");
}

}  // namespace filecall::worker::kube
