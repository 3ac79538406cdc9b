// SPDX-License-Identifier: MIT
#include "worker/exec/kube/tree_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace filecall::worker::kube {
namespace {

Resource served_kind(std::string group, std::string kind, std::string plural,
                     bool is_namespaced = true,
                     std::vector<std::string> verbs = {"get", "list", "delete"}) {
  Resource resource;
  resource.group = std::move(group);
  resource.version = "v1";
  resource.kind = std::move(kind);
  resource.plural = std::move(plural);
  resource.is_namespaced = is_namespaced;
  resource.verbs = std::move(verbs);
  return resource;
}

/// Plural -> where it is listed; with "!" behind it only names and owners.
std::map<std::string, std::string> lists_of(const ObjectKind& target, const char* name_space) {
  const ResourceTable served(
      {served_kind("", "Pod", "pods"), served_kind("", "ConfigMap", "configmaps"),
       served_kind("", "Event", "events"), served_kind("", "Namespace", "namespaces", false),
       served_kind("policy", "PodDisruptionBudget", "poddisruptionbudgets"),
       served_kind("metrics.k8s.io", "PodMetrics", "podmetrics", true, {"get", "list"}),
       served_kind("example.com", "Widget", "widgets")},
      {});
  std::map<std::string, std::string> out;
  const TreeLists lists = tree_lists(ReferenceTable::builtin(), served, target, "x", name_space);
  for (const TreeList& list : lists.lists) {
    out[list.resource->plural] = list.name_space + (list.is_metadata_only ? "!" : "");
  }
  return out;
}

TEST(TreeReading, ListsWhatCanBeOwnedAndWhatMayRefer) {
  const auto lists = lists_of({"apps", "Deployment"}, "shop");
  EXPECT_EQ(lists.at("configmaps"), "shop!") << "it can be owned, and refers to nothing here";
  EXPECT_EQ(lists.at("poddisruptionbudgets"), "shop") << "refers to pods";
  EXPECT_EQ(lists.at("widgets"), "") << "may refer to anything";
  EXPECT_FALSE(lists.contains("events"));
}

TEST(TreeReading, LooksEverywhereForAnObjectWithoutANamespace) {
  const auto lists = lists_of({"example.com", "Wide"}, "");
  EXPECT_EQ(lists.at("configmaps"), "!");
  EXPECT_EQ(lists.at("namespaces"), "!");
  EXPECT_FALSE(lists_of({"", "ConfigMap"}, "shop").contains("namespaces"))
      << "what has no namespace cannot be owned by what has one";
}

}  // namespace
}  // namespace filecall::worker::kube
