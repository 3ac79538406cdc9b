// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/possible_references.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/worker/exec/kube/model/impact_cluster.h"

namespace filecall::worker::kube {
namespace {

const ObjectKind kWidget{"example.com", "Widget"};

Json widget(const Json& spec) {
  return {{"kind", "Widget"},
          {"metadata", {{"name", "w"}, {"namespace", "n"}, {"tlsSecretName", "not-this"}}},
          {"spec", spec},
          {"status", {{"configMapRef", {{"name", "not-this-either"}}}}}};
}

/// Path and name of all that is found.
std::map<std::string, std::string> found_in(const Json& spec) {
  std::map<std::string, std::string> out;
  for (const Reference& one :
       possible_references(ReferenceTable::builtin(), kWidget, widget(spec)).found) {
    out[one.path] = one.name;
  }
  return out;
}

TEST(PossibleReferences, ReadsObjectsThatSayTheirKind) {
  const auto paths =
      found_in({{"target", {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "web"}}},
                {"items", {{{"kind", "Shelf"}, {"name", "upper"}}}}});
  EXPECT_EQ(paths, (std::map<std::string, std::string>{{"/spec/target", "web"},
                                                       {"/spec/items/0", "upper"}}));
}

TEST(PossibleReferences, ReadsFieldsThatAreCalledLikeReferences) {
  const auto paths =
      found_in({{"secretKeyRef", {{"name", "a"}, {"key", "k"}}},
                {"storeRef", "b"},
                {"dbSecretName", "c"},
                {"configMap", {{"name", "d"}}},
                {"existingSecret", "e"},
                {"tlsSecretRefs", {{{"name", "f"}}}},
                {"volumes", {{{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "g"}}}}}}});
  EXPECT_EQ(paths, (std::map<std::string, std::string>{
                       {"/spec/secretKeyRef/name", "a"},
                       {"/spec/storeRef", "b"},
                       {"/spec/dbSecretName", "c"},
                       {"/spec/configMap/name", "d"},
                       {"/spec/existingSecret", "e"},
                       {"/spec/tlsSecretRefs/0/name", "f"},
                       {"/spec/volumes/0/persistentVolumeClaim/claimName", "g"}}));
}

TEST(PossibleReferences, ReadsNothingElse) {
  EXPECT_TRUE(found_in({{"displayName", "web"},
                        {"name", "web"},
                        {"fileName", "a.txt"},
                        {"ref", "main"},
                        {"secretName", "Not A Name"},
                        {"secretRef", 3},
                        {"env", {{{"name", "level"}, {"value", "info"}}}},
                        {"ports", {{{"name", "http"}}}}})
                  .empty());
}

TEST(PossibleReferences, AreNotReadWhereTheTableKnowsTheKind) {
  EXPECT_TRUE(possible_references(ReferenceTable::builtin(), {"", "Secret"},
                                  widget({{"configMapName", "a"}}))
                  .found.empty());
}

TEST(PossibleReferences, AreReadBelowOneAsWell) {
  EXPECT_EQ(found_in({{"step", {{"kind", "Task"}, {"name", "a"}, {"with", {{"secretRef", "b"}}}}}}),
            (std::map<std::string, std::string>{{"/spec/step", "a"},
                                                {"/spec/step/with/secretRef", "b"}}));
}

Json many_references(int count, const char* last) {
  Json list = Json::array();
  for (int i = 1; i < count; ++i) list.push_back({{"name", "a"}});
  list.push_back({{"name", last}});
  return widget({{"secretRefs", std::move(list)}});
}

Json deep_reference(int depth) {
  Json out = {{"secretRef", "deep"}};
  for (int i = 0; i < depth; ++i) out = {{"in", std::move(out)}};
  return widget(out);
}

TEST(PossibleReferences, AreBoundedAndSaySo) {
  const auto read = [](const Json& object) {
    return possible_references(ReferenceTable::builtin(), kWidget, object);
  };
  EXPECT_EQ(read(many_references(500, "last")).found.size(), 200u);
  EXPECT_TRUE(read(many_references(201, "last")).is_cut);
  EXPECT_FALSE(read(many_references(200, "last")).is_cut);
  EXPECT_EQ(read(deep_reference(55)).found.size(), 1u);
  EXPECT_FALSE(read(deep_reference(55)).is_cut);
  EXPECT_TRUE(read(deep_reference(100)).is_cut);
}

TEST(PossibleReferences, AreNotCalledCompleteWhereTheyWereCut) {
  for (const Json& object : {many_references(300, "s"), deep_reference(100)}) {
    Cluster cluster;
    cluster.add("Secret", R"({"metadata": {"name": "s", "namespace": "n"}})");
    cluster.add("example.com/Widget", dump_json(object).c_str());
    const Json report = cluster.without("Secret", "n", "s");
    EXPECT_EQ(report["complete"], false);
    EXPECT_EQ(report["severity"], "medium");
    ASSERT_EQ(report["unread"].size(), 1u);
    const Json& row = report["unread"][0];
    EXPECT_EQ(row["kind"], "Widget");
    EXPECT_EQ(row["name"], "w");
    EXPECT_EQ(row["objects"], 1);
    EXPECT_EQ(row["mayHide"], "medium");
    EXPECT_NE(report["summary"].get<std::string>().find("Incomplete"), std::string::npos);
  }
}

TEST(PossibleReferences, AreMarkedWhereTheyMayBeAffected) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "m"}})");
  cluster.add("Secret", R"({"metadata": {"name": "c", "namespace": "n"}})");
  cluster.add("example.com/Widget", dump_json(widget({{"configMapRef", {{"name", "c"}}}})).c_str());
  const Json report = cluster.without("ConfigMap", "n", "c");
  const Json found = row(report, "Widget", "w");
  EXPECT_EQ(found["possible"], true) << report;
  EXPECT_EQ(found["path"], "/spec/configMapRef/name");
  EXPECT_EQ(report["severity"], "medium");
  EXPECT_EQ(report["notModelled"], Json::array({"example.com/Widget"}));
  EXPECT_EQ(report["complete"], true) << "all kinds were read";
  EXPECT_TRUE(row(cluster.without("ConfigMap", "m", "c"), "Widget", "w").is_null());
  EXPECT_TRUE(row(cluster.without("Secret", "n", "c"), "Widget", "w").is_null());
}

TEST(PossibleReferences, LeaveOpenWhatTheLossOfAnUnknownKindMeans) {
  Cluster cluster;
  cluster.add("example.com/Widget", R"({"metadata": {"name": "w", "namespace": "n"}})");
  const Json report = cluster.without("example.com/Widget", "n", "w");
  EXPECT_EQ(report["complete"], false);
  EXPECT_EQ(report["severity"], "medium");
  EXPECT_NE(report["intrinsic"]["effect"].get<std::string>().find("not known"), std::string::npos);
}

TEST(PossibleReferences, AreNotHiddenByKindsThatWereNotRead) {
  Cluster cluster;
  cluster.add("ConfigMap", R"({"metadata": {"name": "c", "namespace": "n"}})");
  const auto severity = [&](const char* kind) {
    return cluster.without("ConfigMap", "n", "c", {{parse_kind(kind), "", "denied"}})["severity"];
  };
  EXPECT_EQ(severity("example.com/Widget"), "medium");
  EXPECT_EQ(severity("example.com/*"), "medium") << "whatever that group has";
  EXPECT_EQ(severity("metrics.k8s.io/*"), "none");
}

}  // namespace
}  // namespace filecall::worker::kube
