// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/unit/worker/exec/kube/model/impact_cluster.h"

namespace filecall::worker::kube {
namespace {

Cluster namespaces_with_pods() {
  Cluster cluster;
  cluster.add("Namespace", R"({"metadata": {"name": "a", "labels": {"team": "x"}}})");
  cluster.add("Namespace", R"({"metadata": {"name": "b"}})");
  cluster.add("Namespace", R"({"metadata": {"name": "c"}})");
  for (const char* ns : {"a", "b", "c"}) {
    const std::string metadata = fmt::format(
        R"({{"metadata": {{"name": "p", "namespace": "{}", "labels": {{"l": "m"}}}}}})", ns);
    cluster.add("Pod", metadata.c_str());
    cluster.add("Service", metadata.c_str());
  }
  return cluster;
}

/// Namespaces of which the pod or service matters to the object.
std::string places_that_matter(Cluster& cluster, const char* kind, const std::string& of) {
  std::string out;
  for (const char* ns : {"a", "b", "c"}) {
    if (!row(cluster.without(kind, ns, "p"), of, "of").is_null()) out += ns;
  }
  return out;
}

TEST(ReferencePlaces, OfAnAffinityAreItsNamesAndWhatItsSelectorFits) {
  constexpr const char* kRollout = R"({{"metadata": {{"name": "of", "namespace": "c"}}, "spec": {{
    "template": {{"spec": {{"affinity": {{"podAffinity": {{
      "requiredDuringSchedulingIgnoredDuringExecution": [
        {{"labelSelector": {{"matchLabels": {{"l": "m"}}}}{}}}]}}}}}}}}}}}})";
  const std::pair<const char*, const char*> cases[] = {
      {"", "c"},
      {R"(, "namespaces": ["b"])", "b"},
      {R"(, "namespaceSelector": {"matchLabels": {"team": "x"}})", "a"},
      {R"(, "namespaces": ["b"], "namespaceSelector": {"matchLabels": {"team": "x"}})", "ab"},
      {R"(, "namespaces": ["b"], "namespaceSelector": {})", "abc"}};
  for (const auto& [siblings, expected] : cases) {
    Cluster cluster = namespaces_with_pods();
    cluster.add("argoproj.io/Rollout", fmt::format(fmt::runtime(kRollout), siblings).c_str());
    EXPECT_EQ(places_that_matter(cluster, "Pod", "Rollout"), expected) << siblings;
  }
}

TEST(ReferencePlaces, OfAMonitorAreNamesAndElseItsOwn) {
  const std::pair<const char*, const char*> cases[] = {{"{}", "c"},
                                                       {R"({"any": false})", "c"},
                                                       {R"({"any": true})", "abc"},
                                                       {R"({"matchNames": ["a", "b"]})", "ab"},
                                                       {R"({"matchNames": []})", "c"}};
  for (const auto& [selector, expected] : cases) {
    Cluster cluster = namespaces_with_pods();
    cluster.add("monitoring.coreos.com/ServiceMonitor",
                fmt::format(R"({{"metadata": {{"name": "of", "namespace": "c"}}, "spec": {{
                  "selector": {{"matchLabels": {{"l": "m"}}}}, "namespaceSelector": {}}}}})",
                            selector)
                    .c_str());
    EXPECT_EQ(places_that_matter(cluster, "Service", "ServiceMonitor"), expected) << selector;
  }
}

TEST(ReferenceToADefinition, IsFoundInGroupsThatLookLikeThoseOfKubernetes) {
  for (const char* group : {"example.com", "autoscaling.k8s.io", "policy.networking.k8s.io"}) {
    Cluster cluster;
    cluster.add("apiextensions.k8s.io/CustomResourceDefinition",
                fmt::format(R"({{"metadata": {{"name": "things.{0}"}}, "spec": {{
                  "group": "{0}", "names": {{"kind": "Thing", "plural": "things"}}}}}})",
                            group)
                    .c_str());
    cluster.add(fmt::format("{}/Thing", group).c_str(),
                R"({"metadata": {"name": "t", "namespace": "n"}})");
    const Json report = cluster.without("apiextensions.k8s.io/CustomResourceDefinition", "",
                                        fmt::format("things.{}", group));
    ASSERT_EQ(report["alsoDeleted"].size(), 1u) << group;
    EXPECT_EQ(report["alsoDeleted"][0]["name"], "t");
    EXPECT_EQ(report["complete"], false) << "nobody knows what their controller does";
  }
}

}  // namespace
}  // namespace filecall::worker::kube
