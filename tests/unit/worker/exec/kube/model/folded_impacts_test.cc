// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/folded_impacts.h"

#include <fmt/format.h>
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

Json impact_of(Cluster& cluster, const ImpactOptions& options) {
  return cluster.without("ConfigMap", "n", "c", options);
}

TEST(FoldedImpacts, AreShownOneByOneByTheirPath) {
  Cluster cluster;
  add_workload(cluster);
  ImpactOptions options{.is_folded = true, .path = "ReplicaSet/n/r"};
  const Json group = impact_of(cluster, options);
  ASSERT_EQ(group["impactedResources"].size(), 3u) << "itself and its pods: " << group;
  EXPECT_EQ(row(group, "Pod", "q")["severity"], "high");
  EXPECT_LT(row(group, "Pod", "q")["reason"].get<std::size_t>(), group["reasons"].size());
  EXPECT_EQ(group["severity"], "high") << "of the whole";
  options.path = "Pod/n/bare";
  EXPECT_EQ(impact_of(cluster, options)["impactedResources"].size(), 2u) << "both references";
  options.path = "Pod/n";
  EXPECT_EQ(impact_of(cluster, options)["impactedResources"].size(), 4u) << "also what is folded";
  options.path = "Pod/n/ba";
  const Json none = impact_of(cluster, options);
  EXPECT_TRUE(none["impactedResources"].empty());
  EXPECT_NE(dump_json(none["notes"]).find("nothing that is affected is at Pod/n/ba"),
            std::string::npos);
}

TEST(FoldedImpacts, ThatDifferInTheNameAloneAreOneRow) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  for (int i = 0; i < 30; ++i) {
    cluster.add("apps/Deployment", fmt::format(R"({{"metadata": {{"name": "d{:02}", "namespace":
      "n"}}, "spec": {{"replicas": {}, "template": {{"spec": {{"volumes": [{{"configMap": {{
      "name": "c"}}}}]}}}}}}}})",
                                               i, i == 7 ? 0 : 1)
                                       .c_str());
  }
  const Json report = impact_of(cluster, {.is_folded = true});
  ASSERT_EQ(report["impactedResources"].size(), 2u) << report;
  const Json& group = report["impactedResources"][0];
  EXPECT_EQ(group["count"], 29);
  EXPECT_EQ(group["names"].size(), 20u);
  EXPECT_FALSE(group.contains("name") || group.contains("path"));
  EXPECT_EQ(row(report, "Deployment", "d07")["severity"], "medium") << "it rests";
  EXPECT_EQ(
      impact_of(cluster, {.is_folded = true, .path = "Deployment/n"})["impactedResources"].size(),
      30u);
}

TEST(FoldedImpacts, ThatDoNotFitAreCountedByKind) {
  Cluster cluster;
  add_workload(cluster);
  const Json report = impact_of(cluster, {.bytes_max = 300});
  EXPECT_LE(dump_json(report["impactedResources"]).size(), 302u);
  EXPECT_EQ(report["impactedResources"].size() + report["omitted"].get<std::size_t>(), 7u);
  EXPECT_EQ(report["omittedKinds"]["Pod"], 6) << report["omittedKinds"];
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
  const Json opened =
      cluster.without("Namespace", "", "n", {.is_folded = true, .path = "ConfigMap/n"});
  EXPECT_EQ(opened["alsoDeleted"].size(), 25u);
  EXPECT_TRUE(opened["notes"].empty()) << opened["notes"];
}

}  // namespace
}  // namespace filecall::worker::kube
