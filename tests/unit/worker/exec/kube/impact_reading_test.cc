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

const ResourceTable& shop() {
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
  return table;
}

std::map<std::string, std::string> listed(const char* kind, const char* name, int depth = 3) {
  std::map<std::string, std::string> out;
  const ObjectKind target = parse_kind(kind);
  const bool has_namespace = target.kind != "Namespace" && target.group != "apiextensions.k8s.io";
  for (const ImpactList& list : lists_for(ReferenceTable::builtin(), shop(), target, name,
                                          has_namespace ? "shop" : "", depth)
                                    .lists) {
    EXPECT_TRUE(out.emplace(list.resource->plural, list.name_space).second) << "listed twice";
  }
  return out;
}

TEST(ImpactReading, ListsWhatMayReferInTheNamespaceWhereItStays) {
  const auto lists = listed("ConfigMap", "c");
  ASSERT_TRUE(lists.contains("deployments"));
  EXPECT_EQ(lists.at("deployments"), "shop");
  ASSERT_TRUE(lists.contains("widgets")) << "what nobody knows may refer to anything";
  EXPECT_EQ(lists.at("widgets"), "");
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

TEST(ImpactReading, FollowsNothingThatOnlyLosesSomething) {
  const auto lists = listed("networking.k8s.io/Ingress", "door");
  EXPECT_TRUE(lists.contains("services")) << "the Service behind the door loses it";
  EXPECT_FALSE(lists.contains("virtualservices")) << "and works on for what depends on it";
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
  EXPECT_FALSE(listed("Secret", "cert").contains("secrets")) << "others are nobody's business";
}

TEST(ImpactReading, SaysWhichUnknownKindsItDoesNotRead) {
  std::vector<Resource> many = {served("", "ConfigMap", "configmaps")};
  for (int i = 0; i < 203; ++i) {
    Resource kind = served("example.com", "Kind", "kinds");
    kind.kind += std::to_string(i);
    kind.plural += std::to_string(i);
    many.push_back(std::move(kind));
  }
  const ResourceTable table(std::move(many), {});
  const ImpactLists wanted =
      lists_for(ReferenceTable::builtin(), table, parse_kind("ConfigMap"), "c", "shop", 3);
  EXPECT_EQ(wanted.lists.size(), 200u);
  ASSERT_EQ(wanted.left_out.size(), 3u);
  EXPECT_EQ(wanted.left_out[0].kind, "Kind200");
}

TEST(ImpactReading, SaysWhatAKindMayHideThatCannotBeRead) {
  const auto hidden = [](const char* kind, const char* name, std::string_view plural) {
    const ImpactLists wanted = lists_for(ReferenceTable::builtin(), shop(), parse_kind(kind), name,
                                         std::string_view(kind) == "Namespace" ? "" : "shop", 3);
    for (const ImpactList& list : wanted.lists) {
      if (list.resource->plural == plural) return list.may_hide;
    }
    return Severity::kNone;
  };
  EXPECT_EQ(hidden("apps/Deployment", "web", "services"), Severity::kCritical)
      << "they lose the pods that go with it";
  EXPECT_EQ(hidden("apps/Deployment", "web", "pods"), Severity::kCritical)
      << "nobody knows which pods go";
  EXPECT_GE(hidden("apps/Deployment", "web", "virtualservices"), Severity::kMedium)
      << "two steps away";
  EXPECT_EQ(hidden("ConfigMap", "c", "pods"), Severity::kHigh);
  EXPECT_GE(hidden("Namespace", "shop", "persistentvolumeclaims"), Severity::kHigh)
      << "they go with it";
}

TEST(ImpactReading, ListsAllOfANamespaceAndOfADefinition) {
  EXPECT_EQ(listed("Namespace", "shop").at("configmaps"), "shop");
  EXPECT_EQ(listed("Namespace", "shop").at("widgets"), "") << "others may refer into it";
  const auto lists = listed("apiextensions.k8s.io/CustomResourceDefinition", "widgets.example.com");
  EXPECT_EQ(lists.at("widgets"), "");
}

}  // namespace
}  // namespace filecall::worker::kube
