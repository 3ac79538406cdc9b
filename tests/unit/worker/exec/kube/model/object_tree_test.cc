// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/object_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace filecall::worker::kube {
namespace {

Json object(const std::string& name, const std::vector<std::string>& owners) {
  Json out{{"metadata", {{"name", name}, {"namespace", "shop"}, {"uid", "uid-" + name}}}};
  for (const std::string& owner : owners) {
    out["metadata"]["ownerReferences"].push_back(
        {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", owner}, {"uid", "uid-" + owner}});
  }
  return out;
}

const ObjectKind kMap{"", "ConfigMap"};

TEST(ObjectTree, StandsInTheOrderOfATree) {
  ObjectGraph graph(ReferenceTable::builtin());
  graph.add(kMap, object("a", {}));
  graph.add(kMap, object("c", {"a"}));
  graph.add(kMap, object("b", {"a"}));
  graph.add(kMap, object("b1", {"b"}));
  graph.add({"apps", "Deployment"}, object("other", {"elsewhere"}));
  graph.link();
  const Json data = describe_tree(graph, 0);
  EXPECT_EQ(data.at("owned"),
            Json::parse(R"([[1,"ConfigMap","b"],[2,"ConfigMap","b1"],[1,"ConfigMap","c"]])"));
  EXPECT_EQ(data.at("complete"), true);
  const Json flat = describe_tree(graph, 0, {.depth = 1});
  EXPECT_EQ(flat.at("owned").size(), 2U);
  EXPECT_EQ(flat.at("notFollowed"), 1);
  EXPECT_EQ(flat.at("complete"), false);
  const Json small = describe_tree(graph, 0, {.bytes_max = 45});
  EXPECT_EQ(small.at("leftOut").at("owned"), 1);
  EXPECT_EQ(small.at("complete"), false);
}

TEST(ObjectTree, NamesWhatRefersToTheObjectAndToItsPods) {
  ObjectGraph graph(ReferenceTable::builtin());
  graph.add(kMap, object("owner", {}));
  for (const char* name : {"p1", "p2"}) {
    Json pod = object(name, {"owner"});
    pod["metadata"]["labels"] = {{"app", "web"}};
    graph.add({"", "Pod"}, std::move(pod));
  }
  Json service = object("web", {});
  service["spec"]["selector"] = {{"app", "web"}};
  graph.add({"", "Service"}, std::move(service));
  graph.link();
  const Json data = describe_tree(graph, 0);
  ASSERT_EQ(data.at("usedBy").size(), 1U) << data.dump();
  const Json& row = data.at("usedBy").at(0);
  EXPECT_EQ(row.at("kind"), "Service");
  EXPECT_EQ(row.at("viaCount"), 2);
  EXPECT_FALSE(row.contains("namespace")) << "it is the object's";
  const Json pod = describe_tree(graph, 1);
  EXPECT_FALSE(pod.at("usedBy").at(0).contains("via")) << "the pod itself was asked about";
}

TEST(ObjectTree, EndsWhereOwnersStandInACircle) {
  ObjectGraph graph(ReferenceTable::builtin());
  graph.add(kMap, object("a", {"b"}));
  graph.add(kMap, object("b", {"a"}));
  graph.add(kMap, object("self", {"self", "a"}));
  graph.link();
  EXPECT_EQ(describe_tree(graph, 0).at("owned").size(), 2U);
}

/// Each object that can be reached stands there once, below its owner.
TEST(ObjectTree, FindsWhatCanBeReachedInAnyGraph) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    ObjectGraph graph(ReferenceTable::builtin());
    std::vector<std::vector<int>> owners(20);
    for (int i = 0; i < 20; ++i) {
      std::vector<std::string> names;
      for (int n = 0; n < 2; ++n) {
        const int owner = static_cast<int>(random() % 30);
        if (owner >= 20) continue;
        owners[static_cast<std::size_t>(i)].push_back(owner);
        names.push_back(std::to_string(owner));
      }
      graph.add(kMap, object(std::to_string(i), names));
    }
    graph.link();
    std::set<std::size_t> reached{0};
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (std::size_t i = 0; i < 20; ++i) {
        for (const int owner : owners[i]) {
          if (reached.contains(static_cast<std::size_t>(owner)))
            has_grown = reached.insert(i).second || has_grown;
        }
      }
    }
    std::set<std::string> shown{"0"};
    const Json data = describe_tree(graph, 0);
    for (const Json& row : data.at("owned")) {
      EXPECT_TRUE(shown.insert(row.at(2).get<std::string>()).second) << "once";
    }
    EXPECT_EQ(shown.size(), reached.size());
  }
}

}  // namespace
}  // namespace filecall::worker::kube
