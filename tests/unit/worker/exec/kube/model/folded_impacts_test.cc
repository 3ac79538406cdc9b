// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/folded_impacts.h"

#include <gtest/gtest.h>

#include "tests/unit/worker/exec/kube/model/impact_cluster.h"

namespace filecall::worker::kube {
namespace {

/// A ConfigMap and a workload whose pods read it from two fields; one pod is not the workload's.
void add_workload(Cluster& cluster) {
  const char* spec = R"("spec": {"volumes": [{"configMap": {"name": "c"}}], "containers": [
    {"envFrom": [{"configMapRef": {"name": "c"}}]}]}})";
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  cluster.add("apps/ReplicaSet",
              R"({"metadata": {"name": "r", "namespace": "n", "uid": "1"}, "spec": {"template":
    {"spec": {"volumes": [{"configMap": {"name": "c"}}]}}}})");
  for (const char* name : {"p", "q"}) {
    cluster.add("Pod", (std::string(R"({"metadata": {"namespace": "n", "ownerReferences": [
      {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "1", "controller": true}],
      "name": ")") + name +
                        R"("}, )" + spec)
                           .c_str());
  }
  cluster.add("Pod",
              (std::string(R"({"metadata": {"namespace": "n", "name": "bare"}, )") + spec).c_str());
}

TEST(FoldedImpacts, CountWhatAControllerMadeWithIt) {
  Cluster cluster;
  add_workload(cluster);
  const Json report = cluster.without("ConfigMap", "n", "c", {}, 3, true);
  ASSERT_EQ(report["impactedResources"].size(), 2u) << report;
  EXPECT_EQ(row(report, "ReplicaSet", "r")["with"], Json({{"Pod", 2}}));
  EXPECT_EQ(row(report, "Pod", "bare")["morePaths"], 1);
  EXPECT_EQ(report["severity"], "high");
  for (const Json& shown : report["impactedResources"]) {
    EXPECT_LT(shown["reason"].get<std::size_t>(), report["reasons"].size());
    EXPECT_FALSE(shown.contains("why"));
  }
  EXPECT_EQ(cluster.without("ConfigMap", "n", "c")["impactedResources"].size(), 7u);
}

TEST(FoldedImpacts, KeepWhatFaresWorseThanItsController) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  cluster.add("apps/ReplicaSet",
              R"({"metadata": {"name": "r", "namespace": "n", "uid": "1"}, "spec": {"replicas": 0,
    "template": {"spec": {"volumes": [{"configMap": {"name": "c"}}]}}}})");
  cluster.add("Pod", R"({"metadata": {"namespace": "n", "name": "p", "ownerReferences": [
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "1", "controller": true}]},
    "spec": {"volumes": [{"configMap": {"name": "c"}}]}})");
  const Json report = cluster.without("ConfigMap", "n", "c", {}, 3, true);
  EXPECT_EQ(report["impactedResources"].size(), 2u) << report;
}

TEST(FoldedImpacts, NameSomeOfWhatGoesAlongAndCountAll) {
  Cluster cluster;
  cluster.add("Namespace", R"({"metadata": {"name": "n"}})");
  for (int i = 0; i < 25; ++i) {
    const std::string text =
        R"({"metadata": {"namespace": "n", "name": "c)" + std::to_string(i) + R"("}})";
    cluster.add("ConfigMap", text.c_str());
  }
  const Json report = cluster.without("Namespace", "", "n", {}, 3, true);
  EXPECT_EQ(report["alsoDeleted"].size(), 20u);
  EXPECT_EQ(report["alsoDeletedOmitted"], 5);
  EXPECT_EQ(report["alsoDeletedKinds"], Json({{"ConfigMap", 25}}));
}

}  // namespace
}  // namespace filecall::worker::kube
