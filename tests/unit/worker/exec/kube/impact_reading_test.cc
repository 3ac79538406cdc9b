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
       served("extensions", "Ingress", "ingresses"), served("example.com", "Widget", "widgets"),
       served("", "Secret", "secrets"), served("", "ServiceAccount", "serviceaccounts"),
       served("rbac.authorization.k8s.io", "RoleBinding", "rolebindings"),
       served("networking.istio.io", "Gateway", "gateways"),
       served("networking.istio.io", "ServiceEntry", "serviceentries"),
       served("", "PersistentVolume", "persistentvolumes", false),
       served("", "PersistentVolumeClaim", "persistentvolumeclaims")},
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

TEST(ImpactReading, FollowsWhatGoesWithATemplateOfPods) {
  const auto lists = listed("apps/Deployment", "web");
  ASSERT_TRUE(lists.contains("gateways")) << "a gateway of Istio selects pods, in any namespace";
  EXPECT_EQ(lists.at("gateways"), "");
  EXPECT_TRUE(lists.contains("virtualservices"))
      << "Services lose their pods, and routes lose them";
  EXPECT_EQ(lists.at("pods"), "") << "a gateway may select others as well";
}

TEST(ImpactReading, FollowsWhatLosesSomethingWithTheObject) {
  const auto lists = listed("networking.k8s.io/Ingress", "door");
  EXPECT_TRUE(lists.contains("virtualservices")) << "they depend on the Service behind the door";
}

TEST(ImpactReading, ReadsTargetsOfOtherNamespaces) {
  const auto lists = listed("rbac.authorization.k8s.io/RoleBinding", "readers");
  ASSERT_TRUE(lists.contains("serviceaccounts"));
  EXPECT_EQ(lists.at("serviceaccounts"), "");
  EXPECT_EQ(listed("Secret", "disk-key").at("persistentvolumeclaims"), "")
      << "of volumes, which have no namespace";
}

TEST(ImpactReading, ReadsWhatAReferenceMayFitAsWell) {
  EXPECT_TRUE(listed("Service", "web").contains("serviceentries"));
  EXPECT_EQ(listed("Secret", "cert").at("secrets"), "shop") << "those of accounts, no others";
}

TEST(ImpactReading, ListsAllOfANamespaceAndOfADefinition) {
  EXPECT_EQ(listed("Namespace", "shop").at("widgets"), "shop");
  const auto lists = listed("apiextensions.k8s.io/CustomResourceDefinition", "widgets.example.com");
  EXPECT_EQ(lists.at("widgets"), "");
}

}  // namespace
}  // namespace filecall::worker::kube
