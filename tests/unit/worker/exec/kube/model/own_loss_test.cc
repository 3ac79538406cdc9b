// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/own_loss.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "tests/unit/worker/exec/kube/model/impact_cluster.h"

namespace filecall::worker::kube {
namespace {

std::string severity_without(const char* kind, const char* object) {
  Cluster cluster;
  cluster.add(kind, object);
  const Json parsed = Json::parse(object);
  const std::string ns = parsed["metadata"].value("namespace", "");
  return cluster.without(kind, ns, parsed["metadata"]["name"].get<std::string>())["severity"];
}

TEST(OwnLoss, CallsNothingSevereForItsKindAlone) {
  const auto with = [](const char* kind, const char* spec) {
    const std::string object =
        R"({"metadata": {"name": "x", "namespace": "n"}, "spec": )" + std::string(spec) + "}";
    return severity_without(kind, object.c_str());
  };
  EXPECT_EQ(with("ConfigMap", "{}"), "none");
  EXPECT_EQ(with("Secret", "{}"), "none");
  EXPECT_EQ(with("Service", "{}"), "none");
  EXPECT_EQ(with("Service", R"({"type": "LoadBalancer"})"), "high");
  EXPECT_EQ(with("ServiceAccount", "{}"), "none");
  EXPECT_EQ(with("networking.k8s.io/NetworkPolicy", R"({"podSelector": {}})"), "none");
  EXPECT_EQ(with("networking.istio.io/Gateway", R"({"selector": {"a": "b"}})"), "none");
  EXPECT_EQ(with("apps/Deployment", R"({"replicas": 2})"), "high");
  EXPECT_EQ(with("apps/Deployment", R"({"replicas": 0})"), "none");
  EXPECT_EQ(with("batch/CronJob", R"({"suspend": true})"), "none");
  EXPECT_EQ(with("PersistentVolumeClaim", "{}"), "none");
  EXPECT_EQ(with("storage.k8s.io/StorageClass", "{}"), "none");
}

TEST(OwnLoss, LosesTheTrafficOfAServiceThatGoesWithItsPods) {
  Cluster cluster;
  cluster.add("Namespace", R"({"metadata": {"name": "n"}})");
  cluster.add("Pod", R"({"metadata": {"name": "p", "namespace": "n", "labels": {"a": "b"}}})");
  cluster.add("Service",
              R"({"metadata": {"name": "s", "namespace": "n"}, "spec": {"selector": {"a": "b"}}})");
  EXPECT_EQ(cluster.without("Namespace", "", "n")["severity"], "critical");
}

TEST(OwnLoss, SaysWhyNothingIsAffected) {
  Cluster cluster;
  cluster.add("apps/Deployment",
              R"({"metadata": {"name": "d", "namespace": "n"}, "spec": {"replicas": 0}})");
  const Json report = cluster.without("apps/Deployment", "n", "d");
  EXPECT_EQ(report["intrinsic"]["effect"], "It does nothing now: scaled to 0.");
  EXPECT_NE(report["summary"].get<std::string>().find("Nothing that was read refers to it"),
            std::string::npos)
      << report["summary"];
}

TEST(OwnLoss, CountsRightsOfThoseWhoAreNoObjects) {
  EXPECT_EQ(severity_without("rbac.authorization.k8s.io/ClusterRoleBinding",
                             R"({"metadata": {"name": "b"},
    "subjects": [{"kind": "User", "name": "jane"}]})"),
            "high");
}

TEST(OwnLoss, LosesWithANamespaceWhatIsInIt) {
  const auto of_space = [](std::initializer_list<std::pair<const char*, const char*>> contents) {
    Cluster cluster;
    cluster.add("Namespace", R"({"metadata": {"name": "n"}})");
    for (const auto& [kind, object] : contents) cluster.add(kind, object);
    return cluster.without("Namespace", "", "n");
  };
  const std::pair<const char*, const char*> root = {
      "ConfigMap", R"({"metadata": {"name": "kube-root-ca.crt", "namespace": "n"}})"};
  const std::pair<const char*, const char*> data = {
      "ConfigMap", R"({"metadata": {"name": "data", "namespace": "n"}})"};
  const std::pair<const char*, const char*> runs = {
      "apps/Deployment", R"({"metadata": {"name": "d", "namespace": "n"}})"};
  EXPECT_EQ(of_space({root})["severity"], "info");
  EXPECT_EQ(of_space({root, data})["severity"], "medium");
  const Json report = of_space({root, data, runs});
  EXPECT_EQ(report["severity"], "high");
  EXPECT_EQ(report["intrinsic"]["of"], "Deployment n/d");
}

TEST(OwnLoss, CountsARuleWithoutSelectorForItsWholeNamespaceOrMesh) {
  Cluster cluster;
  for (const char* ns : {"n", "m", "istio-system"}) {
    cluster.add(
        "Pod",
        (std::string(R"({"metadata": {"name": "p", "namespace": ")") + ns + R"("}})").c_str());
    cluster.add(
        "security.istio.io/PeerAuthentication",
        (std::string(R"({"metadata": {"name": "all", "namespace": ")") + ns + R"("}})").c_str());
  }
  const char* kind = "security.istio.io/PeerAuthentication";
  const Json own = cluster.without(kind, "n", "all");
  EXPECT_EQ(own["impactedResources"].size(), 1u) << own;
  EXPECT_EQ(own["severity"], "high");
  EXPECT_EQ(cluster.without(kind, "istio-system", "all")["impactedResources"].size(), 3u);
}

TEST(OwnLoss, TakesWhatAControllerWritesForRemade) {
  const auto of_endpoints = [](const char* spec) {
    Cluster cluster;
    cluster.add(
        "Service",
        (std::string(R"({"metadata": {"name": "s", "namespace": "n"}, "spec": )") + spec + "}")
            .c_str());
    cluster.add("Endpoints", R"({"metadata": {"name": "s", "namespace": "n"}})");
    return cluster.without("Endpoints", "n", "s")["severity"];
  };
  EXPECT_EQ(of_endpoints("{}"), "high");
  EXPECT_EQ(of_endpoints(R"({"selector": {"a": "b"}})"), "low");
}

}  // namespace
}  // namespace filecall::worker::kube
