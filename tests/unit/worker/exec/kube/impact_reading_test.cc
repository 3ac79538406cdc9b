// SPDX-License-Identifier: MIT
#include "worker/exec/kube/impact_reading.h"

#include <gtest/gtest.h>

#include <map>

namespace filecall::worker::kube {
namespace {

Resource served(const char* group, const char* kind, const char* plural,
                bool is_namespaced = true) {
  Resource out;
  out.group = group;
  out.version = "v1";
  out.kind = kind;
  out.plural = plural;
  out.verbs = {"get", "list", "delete"};
  out.is_namespaced = is_namespaced;
  return out;
}

std::map<std::string, std::string> listed(const char* kind, const char* name, int depth = 3) {
  static const ResourceTable table(
      {served("", "Pod", "pods"), served("", "ConfigMap", "configmaps"),
       served("", "Namespace", "namespaces", false), served("apps", "Deployment", "deployments"),
       served("apps", "ReplicaSet", "replicasets"), served("", "Service", "services"),
       served("networking.istio.io", "VirtualService", "virtualservices"),
       served("networking.k8s.io", "Ingress", "ingresses"),
       served("extensions", "Ingress", "ingresses"), served("example.com", "Widget", "widgets")},
      {});
  std::map<std::string, std::string> out;
  const ObjectKind target = parse_kind(kind);
  const bool has_namespace = target.kind != "Namespace" && target.group != "apiextensions.k8s.io";
  for (const ImpactList& list : lists_for(ReferenceTable::builtin(), table, target, name,
                                          has_namespace ? "shop" : "", depth)) {
    EXPECT_TRUE(out.emplace(list.resource->plural, list.name_space).second) << "listed twice";
  }
  return out;
}

TEST(ImpactReading, ListsWhatMayReferInTheNamespaceWhereItStays) {
  const auto lists = listed("ConfigMap", "c");
  ASSERT_TRUE(lists.contains("deployments"));
  EXPECT_EQ(lists.at("deployments"), "shop");
  EXPECT_FALSE(lists.contains("widgets"));
}

TEST(ImpactReading, ListsEverywhereWhatRefersAcrossNamespaces) {
  const auto lists = listed("Service", "web");
  ASSERT_TRUE(lists.contains("virtualservices"));
  EXPECT_EQ(lists.at("virtualservices"), "");
}

TEST(ImpactReading, GoesOnlyAsFarAsItIsTold) {
  EXPECT_FALSE(listed("ConfigMap", "c", 1).contains("virtualservices"));
  EXPECT_TRUE(listed("ConfigMap", "c", 3).contains("virtualservices"));
}

TEST(ImpactReading, ListsAllOfANamespaceAndOfADefinition) {
  EXPECT_EQ(listed("Namespace", "shop").at("widgets"), "shop");
  const auto lists = listed("apiextensions.k8s.io/CustomResourceDefinition", "widgets.example.com");
  EXPECT_EQ(lists.at("widgets"), "");
}

}  // namespace
}  // namespace filecall::worker::kube
