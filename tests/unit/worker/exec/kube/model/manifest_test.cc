// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/manifest.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

const ObjectIdentity kDeployment{"apps/v1", "Deployment", "web", "shop"};

Json built(const ObjectIdentity& identity, const Json& values,
           std::optional<std::string_view> yaml = {}) {
  const Result<BuiltManifest> out = build_manifest(identity, values, yaml);
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  return out ? out->manifest : Json();
}

std::string refusal(const Json& values, std::optional<std::string_view> yaml) {
  const Result<BuiltManifest> out = build_manifest(kDeployment, values, yaml);
  return out ? "built" : out.error().message;
}

TEST(Manifest, WrapsTheSettingsOfKnownKindsIntoSpec) {
  EXPECT_EQ(built(kDeployment, {{"replicas", 3}}),
            Json({{"apiVersion", "apps/v1"},
                  {"kind", "Deployment"},
                  {"metadata", {{"name", "web"}, {"namespace", "shop"}}},
                  {"spec", {{"replicas", 3}}}}));
  const Json rule = built({"networking.istio.io/v1", "DestinationRule", "r", "shop"},
                          {{"host", "nginx"}, {"metadata", {{"labels", {{"a", "b"}}}}}});
  EXPECT_EQ(rule["spec"], Json({{"host", "nginx"}}));
  EXPECT_EQ(rule["metadata"]["labels"], Json({{"a", "b"}}));
}

TEST(Manifest, WrapsNothingWhereSpecIsGivenOrTheKindHasNone) {
  EXPECT_EQ(built(kDeployment, {{"spec", {{"replicas", 1}}}, {"extra", 2}})["extra"], 2);
  EXPECT_EQ(built({"v1", "ConfigMap", "c", "shop"}, {{"data", {{"k", "v"}}}})["data"],
            Json({{"k", "v"}}));
  EXPECT_EQ(built({"example.com/v1", "Service", "c", "shop"}, {{"x", 1}})["x"], 1);
}

TEST(Manifest, TakesTheIdentityOfTheArgumentsAndSaysSo) {
  const auto out = build_manifest(kDeployment, nullptr,
                                  "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: "
                                  "other, namespace: kube-system}\n");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->manifest["apiVersion"], "apps/v1");
  EXPECT_EQ(out->manifest["metadata"], Json({{"name", "web"}, {"namespace", "shop"}}));
  ASSERT_EQ(out->notes.size(), 3u);
  EXPECT_EQ(out->notes[1], "metadata.name \"other\" replaced by \"web\", which is written to");
}

TEST(Manifest, RefusesAnObjectOfAnotherKind) {
  const auto names = [](const std::string& text) {
    return text.find("arguments name") != std::string::npos;
  };
  EXPECT_TRUE(names(refusal(nullptr, "kind: Service\nspec: {}\n")));
  EXPECT_TRUE(names(refusal(nullptr, "kind: deployment\nspec: {}\n"))) << "kinds have one spelling";
  EXPECT_TRUE(names(refusal(nullptr, "kind: 1\nspec: {}\n")));
  EXPECT_TRUE(names(refusal(nullptr, "apiVersion: v1\nkind: Deployment\n"))) << "another group";
  EXPECT_TRUE(names(refusal({{"kind", "Service"}}, {})));
  EXPECT_TRUE(names(refusal({{"kind", "Service"}}, "kind: Deployment\n")));
  EXPECT_TRUE(names(refusal({{"apiVersion", "v1"}}, {})));
  EXPECT_EQ(refusal({{"kind", "Deployment"}}, "apiVersion: apps/v1\nkind: Deployment\n"), "built");
}

TEST(Manifest, GivesNoNamespaceToAKindThatHasNone) {
  const Json out = built({"v1", "Namespace", "n", ""}, {{"metadata", {{"namespace", "x"}}}});
  EXPECT_FALSE(out["metadata"].contains("namespace"));
}

TEST(Manifest, MergesLabelsAndAnnotationsIntoThoseOfTheText) {
  const Json out = built(kDeployment,
                         {{"metadata", {{"labels", {{"b", "2"}}}, {"annotations", {{"n", "1"}}}}},
                          {"spec", {{"replicas", 2}}}},
                         "metadata: {labels: {a: '1', b: '1'}}\nspec: {replicas: 1}\n");
  EXPECT_EQ(out["metadata"]["labels"], Json({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(out["metadata"]["annotations"], Json({{"n", "1"}}));
  EXPECT_EQ(out["spec"]["replicas"], 2);
}

TEST(Manifest, LeavesOutWhatOnlyTheServerSets) {
  const auto out = build_manifest(kDeployment, nullptr,
                                  "metadata: {uid: u, resourceVersion: '1', managedFields: []}\n"
                                  "status: {replicas: 1}\nspec: {}\n");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->manifest["metadata"], Json({{"name", "web"}, {"namespace", "shop"}}));
  EXPECT_FALSE(out->manifest.contains("status"));
  EXPECT_EQ(out->notes.size(), 4u);
}

TEST(Manifest, WantsExactlyOneObject) {
  EXPECT_NE(refusal(nullptr, {}).find("nothing to write"), std::string::npos);
  EXPECT_NE(refusal(nullptr, "a: 1\n---\nb: 2\n").find("2 documents"), std::string::npos);
  EXPECT_NE(refusal(nullptr, "# empty").find("0 documents"), std::string::npos);
  EXPECT_NE(refusal(nullptr, "- a").find("not a mapping"), std::string::npos);
  EXPECT_NE(refusal(nullptr, "kind: List\nitems: []").find("a list"), std::string::npos);
  EXPECT_NE(refusal(nullptr, "a: 1\na: 2").find("given twice"), std::string::npos);
  EXPECT_NE(refusal("text", {}).find("not an object"), std::string::npos);
  EXPECT_NE(refusal({{"metadata", 1}}, {}).find("not an object"), std::string::npos);
  EXPECT_NE(refusal({{"metadata", {{"labels", 1}}}}, {}).find("not an object"), std::string::npos);
  EXPECT_NE(refusal(nullptr, "metadata: 1").find("not a mapping"), std::string::npos);
}

}  // namespace
}  // namespace filecall::worker::kube
