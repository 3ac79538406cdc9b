// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/impact.h"

#include <gtest/gtest.h>

#include "tests/unit/worker/exec/kube/model/impact_cluster.h"

namespace filecall::worker::kube {
namespace {

TEST(Impact, TellsWhoUsesAConfigMap) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  cluster.add("apps/Deployment",
              R"({"metadata": {"name": "runs", "namespace": "n"}, "spec": {"replicas": 2,
    "template": {"spec": {"volumes": [{"configMap": {"name": "c"}}]}}}})");
  cluster.add("apps/Deployment",
              R"({"metadata": {"name": "rests", "namespace": "n"}, "spec": {"replicas": 0,
    "template": {"spec": {"volumes": [{"configMap": {"name": "c"}}]}}}})");
  cluster.add("apps/Deployment", R"({"metadata": {"name": "may", "namespace": "n"}, "spec": {
    "template": {"spec": {"volumes": [{"configMap": {"name": "c", "optional": true}}]}}}})");
  cluster.add("apps/Deployment", R"({"metadata": {"name": "elsewhere", "namespace": "m"}, "spec": {
    "template": {"spec": {"volumes": [{"configMap": {"name": "c"}}]}}}})");
  const Json report = cluster.without("ConfigMap", "n", "c");
  EXPECT_EQ(row(report, "Deployment", "runs")["severity"], "high");
  EXPECT_EQ(row(report, "Deployment", "rests")["severity"], "medium");
  EXPECT_NE(row(report, "Deployment", "rests")["why"].get<std::string>().find("scaled to 0"),
            std::string::npos);
  EXPECT_EQ(row(report, "Deployment", "may")["severity"], "low");
  EXPECT_TRUE(row(report, "Deployment", "elsewhere").is_null());
  EXPECT_EQ(report["severity"], "high");
  EXPECT_EQ(report["complete"], true);
}

TEST(Impact, TellsWhoUsesTheDefaultAccountWithoutNamingIt) {
  Cluster cluster;
  cluster.add("ServiceAccount", R"({"metadata": {"name": "default", "namespace": "n"}})");
  const char* spec = R"("spec": {"replicas": 1, "template": {"spec": {"containers": []}}}})";
  cluster.add("apps/Deployment",
              (std::string(R"({"metadata": {"name": "d", "namespace": "n"}, )") + spec).c_str());
  cluster.add("apps/Deployment",
              (std::string(R"({"metadata": {"name": "e", "namespace": "m"}, )") + spec).c_str());
  const Json report = cluster.without("ServiceAccount", "n", "default");
  EXPECT_EQ(row(report, "Deployment", "d")["severity"], "high");
  EXPECT_TRUE(row(report, "Deployment", "e").is_null());
}

TEST(Impact, NeverCallsAConfigMapUnused) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  const Json report = cluster.without("ConfigMap", "n", "c");
  EXPECT_TRUE(report["impactedResources"].empty());
  EXPECT_EQ(report["severity"], "none");
  EXPECT_NE(dump_json(report["notes"]).find("cannot be seen"), std::string::npos);
}

TEST(Impact, CountsTheEndpointsThatAreLeft) {
  Cluster cluster;
  cluster.add("Service",
              R"({"metadata": {"name": "s", "namespace": "n"}, "spec": {"selector": {"a": "b"}}})");
  cluster.add("Pod", R"({"metadata": {"name": "p1", "namespace": "n", "labels": {"a": "b"}}})");
  cluster.add("Pod", R"({"metadata": {"name": "p2", "namespace": "n", "labels": {"a": "b"}}})");
  cluster.add("Service",
              R"({"metadata": {"name": "t", "namespace": "n"}, "spec": {"selector": {"c": "d"}}})");
  cluster.add("Pod", R"({"metadata": {"name": "p3", "namespace": "n", "labels": {"c": "d"}}})");
  EXPECT_EQ(row(cluster.without("Pod", "n", "p1"), "Service", "s")["severity"], "low");
  EXPECT_EQ(row(cluster.without("Pod", "n", "p3"), "Service", "t")["severity"], "critical");
}

TEST(Impact, CountsForASubsetOnlyThePodsBehindItsHost) {
  Cluster cluster;
  const auto add = [&](const char* kind, const std::string& name, const Json& labels,
                       const Json& spec) {
    const Json metadata = {{"name", name}, {"namespace", "n"}, {"labels", labels}};
    cluster.add(kind, dump_json({{"metadata", metadata}, {"spec", spec}}).c_str());
  };
  for (const std::string name : {"a", "b"}) {
    const Json subset = {{"name", "one"}, {"labels", {{"v", "1"}}}};
    add("Service", name, Json::object(), {{"selector", {{"app", name}}}});
    add("Pod", "pod-" + name, {{"v", "1"}, {"app", name}}, Json::object());
    add("networking.istio.io/DestinationRule", "rule-" + name, Json::object(),
        {{"host", name}, {"subsets", Json::array({subset})}});
  }
  cluster.add("Pod", R"({"metadata": {"name": "pod-c", "namespace": "m", "labels": {"v": "1"}}})");
  const Json report = cluster.without("Pod", "n", "pod-a");
  EXPECT_EQ(row(report, "DestinationRule", "rule-a")["severity"], "medium") << report;
  EXPECT_TRUE(row(report, "DestinationRule", "rule-b").is_null());
  EXPECT_TRUE(row(cluster.without("Pod", "m", "pod-c"), "DestinationRule", "rule-a").is_null());
}

TEST(Impact, CountsForASubsetThePodsOfAServiceEntry) {
  Cluster cluster;
  cluster.add("networking.istio.io/ServiceEntry",
              R"({"metadata": {"name": "e", "namespace": "n"}, "spec": {"hosts": ["e.example"],
    "workloadSelector": {"labels": {"app": "e"}}}})");
  cluster.add("networking.istio.io/DestinationRule",
              R"({"metadata": {"name": "r", "namespace": "n"}, "spec": {"host": "e.example",
    "subsets": [{"name": "one", "labels": {"v": "1"}}]}})");
  cluster.add("Pod", R"({"metadata": {"name": "p", "namespace": "n",
    "labels": {"v": "1", "app": "e"}}})");
  const Json report = cluster.without("Pod", "n", "p");
  EXPECT_EQ(row(report, "DestinationRule", "r")["severity"], "medium") << report;
}

TEST(Impact, TakesWhatIsOwnedForDeleted) {
  Cluster cluster;
  cluster.add("apps/Deployment", R"({"metadata": {"name": "d", "namespace": "n", "uid": "1"}})");
  cluster.add("apps/ReplicaSet",
              R"({"metadata": {"name": "r", "namespace": "n", "uid": "2",
    "ownerReferences":
    [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "1",
     "controller": true}]}})");
  cluster.add("Pod",
              R"({"metadata": {"name": "p", "namespace": "n", "labels": {"a": "b"},
    "ownerReferences":
    [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "2",
     "controller": true}]}})");
  cluster.add("Pod", R"({"metadata": {"name": "old", "namespace": "n", "ownerReferences":
    [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "other"}]}})");
  cluster.add("Service",
              R"({"metadata": {"name": "s", "namespace": "n"}, "spec": {"selector": {"a": "b"}}})");
  const Json report = cluster.without("apps/Deployment", "n", "d");
  ASSERT_EQ(report["alsoDeleted"].size(), 2u) << report["alsoDeleted"];
  EXPECT_EQ(row(report, "Service", "s")["severity"], "critical");
  EXPECT_EQ(row(report, "Service", "s")["through"], "Pod n/p");
  const Json of_pod = cluster.without("Pod", "n", "p");
  EXPECT_EQ(row(of_pod, "Service", "s")["severity"], "low") << "the ReplicaSet makes it anew";
}

TEST(Impact, KeepsWhatHasAnotherOwner) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "a", "namespace": "n", "uid": "1"}})");
  cluster.add("ConfigMap", R"({"metadata": {"name": "b", "namespace": "n", "uid": "2"}})");
  cluster.add("Secret", R"({"metadata": {"name": "s", "namespace": "n", "ownerReferences": [
    {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"},
    {"apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": "2"}]}})");
  EXPECT_TRUE(cluster.without("ConfigMap", "n", "a")["alsoDeleted"].empty());
}

TEST(Impact, EmptiesANamespaceAndADefinition) {
  Cluster cluster;
  cluster.add("Namespace", R"({"metadata": {"name": "n"}})");
  cluster.add("apiextensions.k8s.io/CustomResourceDefinition",
              R"({"metadata": {"name": "widgets.example.com"},
    "spec": {"group": "example.com", "names": {"kind": "Widget", "plural": "widgets"}}})");
  cluster.add("example.com/Widget", R"({"metadata": {"name": "w", "namespace": "n"}})");
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "m"}})");
  EXPECT_EQ(cluster.without("Namespace", "", "n")["alsoDeleted"].size(), 1u);
  EXPECT_EQ(cluster
                .without("apiextensions.k8s.io/CustomResourceDefinition", "",
                         "widgets.example.com")["alsoDeleted"]
                .size(),
            1u);
}

TEST(Impact, FollowsWhatBreaks) {
  Cluster cluster;
  cluster.add("Service", R"({"metadata": {"name": "s", "namespace": "n"}})");
  cluster.add("networking.istio.io/VirtualService",
              R"({"metadata": {"name": "leaf", "namespace": "n"},
    "spec": {"http": [{"route": [{"destination": {"host": "s"}}]}]}})");
  cluster.add("networking.istio.io/VirtualService",
              R"({"metadata": {"name": "root", "namespace": "n"},
    "spec": {"http": [{"delegate": {"name": "leaf"}}]}})");
  const Json report = cluster.without("Service", "n", "s");
  EXPECT_EQ(row(report, "VirtualService", "leaf")["severity"], "critical");
  EXPECT_EQ(row(report, "VirtualService", "root")["severity"], "medium");
  EXPECT_EQ(row(report, "VirtualService", "root")["distance"], 2);
  EXPECT_TRUE(row(cluster.without("Service", "n", "s", {}, 1), "VirtualService", "root").is_null());
}

/// A gateway of Istio, its proxy, the Service before that, and what routes through them.
void add_gateway(Cluster& cluster, const char* servers) {
  cluster.add("networking.istio.io/Gateway",
              (R"({"metadata": {"name": "gate", "namespace": "n"}, "spec": {
    "selector": {"istio": "in"}, "servers": )" +
               std::string(servers) + "}}")
                  .c_str());
  cluster.add("Pod",
              R"({"metadata": {"name": "proxy", "namespace": "n", "labels": {"istio": "in"}}})");
  cluster.add("Service", R"({"metadata": {"name": "front", "namespace": "n"},
    "spec": {"selector": {"istio": "in"}}})");
  cluster.add("networking.k8s.io/Ingress", R"({"metadata": {"name": "door", "namespace": "n"},
    "spec": {"defaultBackend": {"service": {"name": "front"}}}})");
  cluster.add(
      "networking.istio.io/VirtualService",
      R"({"metadata": {"name": "only", "namespace": "n"}, "spec": {"gateways": ["gate"]}})");
  cluster.add("networking.istio.io/VirtualService", R"({"metadata": {"name": "also", "namespace":
    "n"}, "spec": {"gateways": ["gate", "mesh"]}})");
}

TEST(Impact, FollowsNothingThatOnlyLosesAListener) {
  Cluster cluster;
  add_gateway(cluster, "[]");
  const Json report = cluster.without("networking.istio.io/Gateway", "n", "gate");
  EXPECT_EQ(row(report, "Pod", "proxy")["effect"], "loses");
  EXPECT_EQ(row(report, "VirtualService", "only")["effect"], "breaks");
  EXPECT_EQ(row(report, "VirtualService", "also")["effect"], "loses");
  EXPECT_TRUE(row(report, "Service", "front").is_null()) << report;
  EXPECT_TRUE(row(report, "Ingress", "door").is_null()) << report;
}

TEST(Impact, FollowsNothingThatIsExposed) {
  Cluster cluster;
  add_gateway(cluster, "[]");
  cluster.add("networking.k8s.io/NetworkPolicy", R"({"metadata": {"name": "wall",
    "namespace": "n"}, "spec": {"podSelector": {}}})");
  const Json report = cluster.without("networking.k8s.io/NetworkPolicy", "n", "wall");
  EXPECT_EQ(report["impactedResources"].size(), 1u) << report;
  EXPECT_EQ(report["summary"].get<std::string>().find("1 exposed") == std::string::npos, false);
}

TEST(Impact, BreaksWithTheLastOfItsPartsAlone) {
  const char* one = R"([{"tls": {"credentialName": "cert"}}])";
  const char* two = R"([{"tls": {"credentialName": "cert"}}, {"port": {"number": 80}}])";
  for (const char* servers : {one, two}) {
    Cluster cluster;
    add_gateway(cluster, servers);
    cluster.add("Secret", R"({"metadata": {"name": "cert", "namespace": "n"}})");
    const Json report = cluster.without("Secret", "n", "cert");
    EXPECT_EQ(row(report, "Gateway", "gate")["effect"], servers == one ? "breaks" : "loses");
    EXPECT_EQ(row(report, "VirtualService", "only").is_null(), servers == two) << report;
  }
}

TEST(Impact, CountsAWeightedRouteAsOnePartOfSeveral) {
  Cluster cluster;
  for (const char* name : {"a", "b"}) {
    cluster.add("Service", dump_json({{"metadata", {{"name", name}, {"namespace", "n"}}}}).c_str());
  }
  cluster.add("networking.istio.io/VirtualService",
              R"({"metadata": {"name": "leaf", "namespace": "n"}, "spec": {"http": [{"route": [
    {"destination": {"host": "a"}}, {"destination": {"host": "b"}}]}]}})");
  cluster.add("networking.istio.io/VirtualService",
              R"({"metadata": {"name": "root", "namespace": "n"},
    "spec": {"http": [{"delegate": {"name": "leaf"}}]}})");
  const Json report = cluster.without("Service", "n", "a");
  EXPECT_EQ(row(report, "VirtualService", "leaf")["effect"], "loses");
  EXPECT_TRUE(row(report, "VirtualService", "root").is_null());
}

TEST(Impact, LeavesPodsOfOtherControllersToThem) {
  Cluster cluster;
  cluster.add("apps/ReplicaSet", R"({"metadata": {"name": "r", "namespace": "n", "uid": "1"},
    "spec": {"selector": {"matchLabels": {"a": "b"}}}})");
  cluster.add("Pod", R"({"metadata": {"name": "bare", "namespace": "n", "labels": {"a": "b"}}})");
  cluster.add("Pod",
              R"({"metadata": {"name": "theirs", "namespace": "n", "labels": {"a": "b"},
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "other",
                         "uid": "2", "controller": true}]}})");
  const Json report = cluster.without("apps/ReplicaSet", "n", "r");
  EXPECT_EQ(row(report, "Pod", "bare")["effect"], "orphaned");
  EXPECT_TRUE(row(report, "Pod", "theirs").is_null());
}

TEST(Impact, DoesNotCountTwiceWhatBreaksTogether) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  for (const char* name : {"p", "q"}) {
    cluster.add("Pod", (std::string(R"({"metadata": {"namespace": "n", "labels": {"a": "b"},
    "name": ")") + name +
                        R"("}, "spec": {"volumes": [{"configMap": {"name": "c"}}]}})")
                           .c_str());
  }
  cluster.add("Service",
              R"({"metadata": {"name": "s", "namespace": "n"}, "spec": {"selector": {"a": "b"}}})");
  const Json found = row(cluster.without("ConfigMap", "n", "c"), "Service", "s");
  EXPECT_EQ(found["effect"], "breaks") << "no pod is left that does not break";
  EXPECT_EQ(found["why"].get<std::string>().find("still fit"), std::string::npos) << found;
}

TEST(Impact, TellsHowManyGoWithItThatAreNotNamed) {
  Cluster cluster;
  cluster.add("Namespace", R"({"metadata": {"name": "n"}})");
  for (int i = 0; i < 501; ++i) {
    const std::string text =
        R"({"metadata": {"namespace": "n", "name": "c)" + std::to_string(i) + R"("}})";
    cluster.add("ConfigMap", text.c_str());
  }
  const Json report = cluster.without("Namespace", "", "n");
  EXPECT_EQ(report["alsoDeleted"].size(), 500u);
  EXPECT_EQ(report["alsoDeletedOmitted"], 1);
}

TEST(Impact, ResolvesSubsetsByHostAndExport) {
  Cluster cluster;
  cluster.add("networking.istio.io/DestinationRule",
              R"({"metadata": {"name": "own", "namespace": "a"},
    "spec": {"host": "s.n.svc.cluster.local", "exportTo": ["."], "subsets": [{"name": "v1"}]}})");
  cluster.add("networking.istio.io/DestinationRule",
              R"({"metadata": {"name": "all", "namespace": "n"},
    "spec": {"host": "s", "subsets": [{"name": "v2"}]}})");
  cluster.add("networking.istio.io/VirtualService", R"({"metadata": {"name": "v", "namespace": "n"},
    "spec": {"http": [{"route": [{"destination": {"host": "s", "subset": "v1"}},
                                  {"destination": {"host": "s", "subset": "v2"}}]}]}})");
  EXPECT_TRUE(
      row(cluster.without("networking.istio.io/DestinationRule", "a", "own"), "VirtualService", "v")
          .is_null());
  EXPECT_EQ(row(cluster.without("networking.istio.io/DestinationRule", "n", "all"),
                "VirtualService", "v")["path"],
            "/spec/http/0/route/1/destination/subset");
}

TEST(Impact, LooksForCredentialsWhereTheProxyIs) {
  Cluster cluster;
  cluster.add("networking.istio.io/Gateway", R"({"metadata": {"name": "g", "namespace": "shop"},
    "spec": {"selector": {"istio": "in"}, "servers": [{"tls": {"credentialName": "cert"}}]}})");
  cluster.add(
      "Pod", R"({"metadata": {"name": "proxy", "namespace": "infra", "labels": {"istio": "in"}}})");
  cluster.add("Secret", R"({"metadata": {"name": "cert", "namespace": "infra"}})");
  cluster.add("Secret", R"({"metadata": {"name": "cert", "namespace": "shop"}})");
  EXPECT_EQ(row(cluster.without("Secret", "infra", "cert"), "Gateway", "g")["severity"],
            "critical");
  EXPECT_TRUE(row(cluster.without("Secret", "shop", "cert"), "Gateway", "g").is_null());
}

TEST(Impact, TellsWhatTheDeletedObjectDidForOthers) {
  Cluster cluster;
  cluster.add("networking.k8s.io/NetworkPolicy", R"({"metadata": {"name": "deny", "namespace": "n"},
    "spec": {"podSelector": {}}})");
  cluster.add("Pod", R"({"metadata": {"name": "p", "namespace": "n"}})");
  const Json found =
      row(cluster.without("networking.k8s.io/NetworkPolicy", "n", "deny"), "Pod", "p");
  EXPECT_EQ(found["severity"], "high");
  EXPECT_EQ(found["effect"], "exposed");
  EXPECT_EQ(found["direction"], "is referred to by it");
}

TEST(Impact, NeverCallsHarmlessWhatItCouldNotRead) {
  Cluster cluster;
  cluster.add("Service", R"({"metadata": {"name": "s", "namespace": "n"}})");
  const Json report = cluster.without(
      "Service", "n", "s", {{parse_kind("networking.k8s.io/Ingress"), "n", "permission_denied"}});
  EXPECT_EQ(report["complete"], false);
  EXPECT_EQ(report["unread"][0]["mayHide"], "critical");
  EXPECT_EQ(report["severity"], "critical");
  EXPECT_NE(report["summary"].get<std::string>().find("Incomplete"), std::string::npos);
}

TEST(Impact, IsNotCompleteWhereItStopsBeforeWhatBreaks) {
  Cluster cluster;
  cluster.add("Secret", R"({"metadata": {"name": "s", "namespace": "n"}})");
  cluster.add("ServiceAccount", R"({"metadata": {"name": "a", "namespace": "n"}})");
  cluster.add("Pod", R"({"metadata": {"name": "p", "namespace": "n", "labels": {"a": "b"}},
    "spec": {"serviceAccountName": "a", "volumes": [{"secret": {"secretName": "s"}}]}})");
  cluster.add("Service", R"({"metadata": {"name": "web", "namespace": "n"},
    "spec": {"selector": {"a": "b"}}})");
  const Json near = cluster.without("Secret", "n", "s", {}, 1);
  EXPECT_TRUE(row(near, "Service", "web").is_null());
  EXPECT_EQ(near["complete"], false);
  EXPECT_EQ(near["notFollowed"], 1);
  const Json whole = cluster.without("Secret", "n", "s", {}, 3);
  EXPECT_FALSE(row(whole, "Service", "web").is_null());
  EXPECT_EQ(whole["complete"], true);
  EXPECT_FALSE(whole.contains("notFollowed"));
}

TEST(Impact, TakesTheWordOfWhoeverReadForWhatAKindMayHide) {
  Cluster cluster;
  cluster.add("apps/Deployment", R"({"metadata": {"name": "d", "namespace": "n"}})");
  const Json report = cluster.without("apps/Deployment", "n", "d",
                                      {{{"", "Pod"}, "n", "denied", Severity::kCritical}});
  EXPECT_EQ(report["severity"], "critical");
  EXPECT_EQ(report["unread"][0]["mayHide"], "critical");
}

TEST(Impact, WarnsOfWhatAClusterDependsOn) {
  Cluster cluster;
  cluster.add("Namespace", R"({"metadata": {"name": "kube-system"}})");
  EXPECT_NE(dump_json(cluster.without("Namespace", "", "kube-system")["notes"]).find("well-known"),
            std::string::npos);
}

TEST(Impact, CutsALongListAndSaysSo) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  for (int i = 0; i < 600; ++i) {
    const std::string pod =
        R"({"metadata": {"name": "p)" + std::to_string(i) +
        R"(", "namespace": "n"}, "spec": {"volumes": [{"configMap": {"name": "c"}}]}})";
    cluster.add("Pod", pod.c_str());
  }
  const Json report = cluster.without("ConfigMap", "n", "c");
  EXPECT_EQ(report["impactedResources"].size(), 500u);
  EXPECT_EQ(report["omitted"], 100);
}

}  // namespace
}  // namespace filecall::worker::kube
