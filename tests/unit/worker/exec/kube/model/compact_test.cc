// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/compact.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

TEST(Compact, DropsDefaultsAndWhatSaysNothing) {
  const Json manifest = Json::parse(R"({"kind": "Deployment", "metadata": {"name": "d"}, "spec": {
    "replicas": 2, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 300,
    "strategy": {"type": "RollingUpdate",
                 "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    "template": {"metadata": {"creationTimestamp": null, "labels": {"a": "b"}}, "spec": {
      "restartPolicy": "Always", "securityContext": {}, "containers": [
        {"name": "c", "resources": {}, "terminationMessagePath": "/dev/termination-log"}],
      "volumes": [{"name": "v", "emptyDir": {}}]}}}})");
  EXPECT_EQ(compact(manifest), Json::parse(R"({"kind": "Deployment", "metadata": {"name": "d"},
    "spec": {"replicas": 2, "progressDeadlineSeconds": 300, "template": {
      "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c"}],
      "volumes": [{"name": "v", "emptyDir": {}}]}}}})"));
}

TEST(Compact, KeepsDataAndEmptySelectors) {
  const Json map = {{"kind", "ConfigMap"}, {"data", {{"protocol", "TCP"}, {"empty", ""}}}};
  EXPECT_EQ(compact(map), map);
  const Json policy = {{"kind", "NetworkPolicy"}, {"spec", {{"podSelector", Json::object()}}}};
  EXPECT_EQ(compact(policy), policy);
}

TEST(Compact, KeepsWhatIsTheDefaultElsewhere) {
  for (
      const char* text :
      {// A container that runs beside the others is none that starts before them.
       R"({"kind": "Pod", "spec": {"initContainers": [{"name": "a", "restartPolicy": "Always"}]}})",
       R"({"kind": "Pod", "spec": {"containers": [
             {"name": "a", "livenessProbe": {"terminationGracePeriodSeconds": 30}}]}})",
       R"({"kind": "ValidatingWebhookConfiguration", "webhooks": [{"timeoutSeconds": 1}]})",
       R"({"kind": "Service", "spec": {"sessionAffinityConfig":
             {"clientIP": {"timeoutSeconds": 1}}}})",
       R"({"apiVersion": "example.com/v1", "kind": "Widget", "spec": {
             "periodSeconds": 10, "protocol": "TCP", "serviceAccount": "a",
             "serviceAccountName": "b"}})",
       R"({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "spec": {
             "listeners": [{"protocol": "TCP"}]}})",
       R"({"kind": "Pod", "spec": {"nodeSelector": {"role/worker": ""}}})",
       R"({"kind": "NetworkPolicy", "spec": {"podSelector": {"matchLabels": {"a": ""}}}})",
       R"({"kind": "PersistentVolumeClaim", "spec": {"storageClassName": ""}})"}) {
    const Json manifest = Json::parse(text);
    EXPECT_EQ(compact(manifest), manifest);
  }
  const Json probe = Json::parse(R"({"kind": "Pod", "spec": {"containers": [
    {"name": "a", "readinessProbe": {"timeoutSeconds": 1, "periodSeconds": 5}}]}})");
  EXPECT_EQ(compact(probe)["spec"]["containers"][0]["readinessProbe"],
            Json({{"periodSeconds", 5}}));
}

TEST(Compact, TellsConditionsByTheirType) {
  const Json pod = Json::parse(R"({"status": {"phase": "Pending", "conditions": [
    {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "long"},
    {"type": "PodScheduled", "status": "True"}]}})");
  EXPECT_EQ(compact(pod)["status"]["conditions"],
            Json({{"Ready", "False: ContainersNotReady"}, {"PodScheduled", "True"}}));
}

Json field_at(std::string_view text) {
  const Json manifest = Json::parse(R"({"metadata": {"labels": {"a/b": "x"}}, "spec": {
    "replicas": 2, "containers": [{"image": "a"}, {"image": "b"}]}})");
  const auto path = parse_field(text);
  EXPECT_TRUE(path) << text;
  return path ? value_at(manifest, text, *path) : Json();
}

TEST(Fields, AreReadAsKubectlWritesThem) {
  for (const char* text :
       {"spec.replicas", ".spec.replicas", "{.spec.replicas}", "$.spec.replicas"})
    EXPECT_EQ(field_at(text), 2) << text;
  EXPECT_EQ(field_at("spec.containers[*].image"), Json::array({"a", "b"}));
  EXPECT_EQ(field_at("spec.containers[].image"), Json::array({"a", "b"}));
  EXPECT_EQ(field_at("metadata.labels[\"a/b\"]"), "x");
  EXPECT_TRUE(field_at("spec.none").is_null());
  EXPECT_EQ(field_at("spec.none[*].x"), Json::array());
}

TEST(Fields, AreRefusedWhereTheyAreNoPlainPath) {
  for (const char* text :
       {"", "{}", "..image", "spec..image", "spec.containers[?(@.name==1)]", "spec.containers[0:2]",
        "spec.*", "spec.containers[0]", "spec.", "[\"a", "[\"\"]", "a[b]", "a[]b", "."}) {
    EXPECT_FALSE(parse_field(text)) << text;
  }
}

TEST(Compact, SaysOnceWhatTheObjectIs) {
  const Json identity = {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", "p"}, {"namespace", "n"}};
  const Json metadata = {{"name", "p"}, {"namespace", "n"}, {"labels", {{"a", "b"}}}};
  EXPECT_EQ(
      without_identity({{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", metadata}}, identity),
      Json({{"metadata", {{"labels", {{"a", "b"}}}}}}));
  EXPECT_EQ(without_identity({{"kind", "Pod"}, {"metadata", {{"name", "other"}}}}, identity),
            Json({{"metadata", {{"name", "other"}}}}))
      << "what differs stays";
  EXPECT_EQ(without_identity(Json(), identity), Json());
}

}  // namespace
}  // namespace filecall::worker::kube
