// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/model/label_selector.h"
#include "worker/exec/kube/model/revisions.h"

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

struct RolloutRow {
  const char* kind;
  const char* object;
  RolloutState state;
  const char* part;
};

constexpr RolloutState kGoesOn = RolloutState::kProgressing;
constexpr RolloutState kDone = RolloutState::kComplete;
constexpr RolloutState kBroken = RolloutState::kFailed;

constexpr RolloutRow kRollouts[] = {
    {"Deployment", R"({"metadata": {"generation": 2}, "status": {"observedGeneration": 1,
        "updatedReplicas": 1, "replicas": 1, "availableReplicas": 1}})",
     kGoesOn, "not yet seen"},
    {"Deployment", R"({"metadata": {"generation": 1}, "spec": {"replicas": 3}})", kGoesOn,
     "not yet seen"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 3},
        "status": {"observedGeneration": 2, "updatedReplicas": 1, "replicas": 4}})",
     kGoesOn, "1 of 3 new replicas"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 3, "paused": true},
        "status": {"observedGeneration": 2}})",
     kGoesOn, "paused"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 3},
        "status": {"observedGeneration": 2, "updatedReplicas": 3, "replicas": 5,
                   "availableReplicas": 3}})",
     kGoesOn, "2 old replicas"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 3},
        "status": {"observedGeneration": 2, "updatedReplicas": 3, "replicas": 3,
                   "availableReplicas": 2}})",
     kGoesOn, "2 of 3 updated"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 3},
        "status": {"observedGeneration": 2, "updatedReplicas": 3, "replicas": 3,
                   "availableReplicas": 3}})",
     kDone, "all 3 replicas"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 0},
        "status": {"observedGeneration": 2}})",
     kDone, "all 0"},
    {"Deployment", R"({"metadata": {"generation": 2}, "spec": {"replicas": 1},
        "status": {"observedGeneration": 2, "conditions": [{"type": "Progressing",
        "reason": "ProgressDeadlineExceeded", "message": "ReplicaSet web-1 has timed out"}]}})",
     kBroken, "web-1 has timed out"},
    // The deadline of an earlier change says nothing of this one.
    {"Deployment", R"({"metadata": {"generation": 3}, "spec": {"replicas": 1},
        "status": {"observedGeneration": 2, "conditions": [{"type": "Progressing",
        "reason": "ProgressDeadlineExceeded"}]}})",
     kGoesOn, "not yet seen"},
    {"DaemonSet", R"({"spec": {"updateStrategy": {"type": "OnDelete"}}})", kBroken, "OnDelete"},
    {"DaemonSet", R"({"metadata": {"generation": 2}, "status": {"observedGeneration": 1}})",
     kGoesOn, "not yet seen"},
    {"DaemonSet", R"({"metadata": {"generation": 2}, "status": {"observedGeneration": 2,
        "desiredNumberScheduled": 4, "updatedNumberScheduled": 3}})",
     kGoesOn, "3 of 4 pods have been updated"},
    {"DaemonSet", R"({"metadata": {"generation": 2}, "status": {"observedGeneration": 2,
        "desiredNumberScheduled": 4, "updatedNumberScheduled": 4, "numberAvailable": 1}})",
     kGoesOn, "1 of 4 updated"},
    {"DaemonSet", R"({"metadata": {"generation": 2}, "status": {"observedGeneration": 2,
        "desiredNumberScheduled": 4, "updatedNumberScheduled": 4, "numberAvailable": 4}})",
     kDone, "all 4 pods"},
    {"StatefulSet", R"({"spec": {"updateStrategy": {"type": "OnDelete"}}})", kBroken, "OnDelete"},
    {"StatefulSet", R"({"metadata": {"generation": 0}, "status": {"observedGeneration": 0}})",
     kGoesOn, "not yet seen"},
    {"StatefulSet", R"({"metadata": {"generation": 1}, "spec": {"replicas": 2},
        "status": {"observedGeneration": 1, "readyReplicas": 1}})",
     kGoesOn, "1 of 2 pods is ready"},
    {"StatefulSet", R"({"metadata": {"generation": 1}, "spec": {"replicas": 4, "updateStrategy":
        {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}}},
        "status": {"observedGeneration": 1, "readyReplicas": 4}})",
     kGoesOn, "0 of 1 pod of the partition"},
    {"StatefulSet", R"({"metadata": {"generation": 1}, "spec": {"replicas": 4, "updateStrategy":
        {"type": "RollingUpdate", "rollingUpdate": {"partition": 3}}},
        "status": {"observedGeneration": 1, "readyReplicas": 4, "updatedReplicas": 1}})",
     kDone, "as the partition says"},
    {"StatefulSet", R"({"metadata": {"generation": 1}, "spec": {"replicas": 1},
        "status": {"observedGeneration": 1, "readyReplicas": 1, "updateRevision": "b",
                   "currentRevision": "a"}})",
     kGoesOn, "at revision b"},
    {"StatefulSet", R"({"metadata": {"generation": 1}, "spec": {"replicas": 1},
        "status": {"observedGeneration": 1, "readyReplicas": 1, "updateRevision": "b",
                   "currentRevision": "b"}})",
     kDone, "the pod is updated and ready"},
    {"Deployment", R"({"status": "broken", "spec": [], "metadata": 7})", kGoesOn, "0 of 1"},
};

TEST(Rollout, IsDecidedAsKubectlDoesIt) {
  for (const RolloutRow& row : kRollouts) {
    const Rollout rollout = rollout_of(row.kind, Json::parse(row.object));
    EXPECT_EQ(rollout.state, row.state) << row.object << rollout.message;
    EXPECT_THAT(rollout.message, HasSubstr(row.part)) << row.object;
    EXPECT_TRUE(rollout.counts.contains("desired")) << row.object;
  }
}

TEST(Rollout, OnlyThreeKindsOfAppsHaveIt) {
  EXPECT_TRUE(has_rollouts("apps", "DaemonSet"));
  EXPECT_FALSE(has_rollouts("apps", "ReplicaSet"));
  EXPECT_FALSE(has_rollouts("", "Deployment"));
}

Json replica_set(const char* number, const char* image, const char* owner = "u") {
  Json out = Json::parse(R"({"metadata": {"name": "web", "annotations": {}, "ownerReferences": [
      {"controller": true}]}, "spec": {"template": {"metadata": {"labels": {
      "app": "web", "pod-template-hash": "1"}}, "spec": {"containers": [{}]}}}})");
  out["metadata"]["name"] = std::string("web-") + number;
  out["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = number;
  out["metadata"]["ownerReferences"][0]["uid"] = owner;
  out["spec"]["template"]["spec"]["containers"][0]["image"] = image;
  return out;
}

const Json kWebDeployment = Json::parse(R"({"metadata": {"uid": "u", "annotations": {
    "deployment.kubernetes.io/revision": "10", "mine": "now"}}})");

TEST(Revisions, AreThoseThatTheWorkloadControlsByNumber) {
  const Json items =
      Json::array({replica_set("10", "c"), replica_set("9", "b"), replica_set("2", "a"),
                   replica_set("11", "x", "other"), replica_set("no", "y")});
  const auto found = revisions_of("Deployment", kWebDeployment, items);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.front().number, 2);
  EXPECT_EQ(found.back().number, 10);
  EXPECT_EQ(choose_revision("Deployment", kWebDeployment, found, 0)->name, "web-9");
  EXPECT_EQ(choose_revision("Deployment", kWebDeployment, found, 2)->name, "web-2");
  const auto none = choose_revision("Deployment", kWebDeployment, found, 5);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr("2, 9, 10"));
  EXPECT_EQ(choose_revision("Deployment", kWebDeployment, {found.back()}, 0).error().code,
            ErrorCode::kFailedPrecondition);
  const Json history = history_of("Deployment", kWebDeployment, items);
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0]["revision"], 10);
  EXPECT_EQ(history[0]["current"], true);
  EXPECT_EQ(history[1]["images"], Json::array({"b"}));
}

TEST(Revisions, OfAStatefulSetAreWhatControllerRevisionsKeep) {
  // The annotation is that of Deployments: here anybody may have written it.
  const Json owner = Json::parse(R"({"metadata": {"uid": "u",
      "annotations": {"deployment.kubernetes.io/revision": "3"}},
      "status": {"updateRevision": "db-a"}})");
  const Json items = Json::parse(R"([{"metadata": {"name": "db-c",
      "annotations": {"deployment.kubernetes.io/revision": "9"}, "ownerReferences": [
      {"controller": true, "uid": "u"}]}},
      {"revision": 4, "metadata": {"name": "db-a",
      "ownerReferences": [{"controller": true, "uid": "u"}]}, "data": {"spec": {"template": {
      "$patch": "replace", "spec": {"containers": [{"image": "x"}]}}}}},
      {"revision": 3, "metadata": {"name": "db-b", "ownerReferences": [
      {"controller": true, "uid": "u"}]}}])");
  const auto found = revisions_of("StatefulSet", owner, items);
  EXPECT_EQ(present_revision("StatefulSet", owner, found), 4);
  EXPECT_EQ(choose_revision("StatefulSet", owner, found, 0)->number, 3);
  EXPECT_EQ(found.size(), 2U);
  EXPECT_EQ(template_of(items[1]), Json::parse(R"({"spec": {"containers": [{"image": "x"}]}})"));
  EXPECT_TRUE(template_of(items[2]).is_null());
}

TEST(Revisions, GiveBackATemplateWithoutWhatTheControllerAdded) {
  const Json pods = template_of(replica_set("1", "a"));
  EXPECT_EQ(pods["metadata"]["labels"], Json({{"app", "web"}}));
}

TEST(Revisions, AnUndoKeepsWhatTheControllerAndKubectlWroteOfTheDeployment) {
  Json old = replica_set("2", "a");
  old["metadata"]["annotations"]["kubernetes.io/change-cause"] = "then";
  old["metadata"]["annotations"]["deployment.kubernetes.io/desired-replicas"] = "3";
  EXPECT_EQ(
      annotations_after_undo(kWebDeployment, old),
      Json({{"deployment.kubernetes.io/revision", "10"}, {"kubernetes.io/change-cause", "then"}}));
}

TEST(SelectorQuery, SaysWhatASelectorSays) {
  const Json selector = Json::parse(R"({"matchLabels": {"app": "web"}, "matchExpressions": [
      {"key": "tier", "operator": "In", "values": ["a", "b"]},
      {"key": "old", "operator": "DoesNotExist"}, {"key": "x", "operator": "Exists"},
      {"key": "y", "operator": "NotIn", "values": ["c"]}, {"key": "z", "operator": "Gt"}]})");
  EXPECT_EQ(selector_query(selector), "app=web,tier in (a,b),!old,x,y notin (c)");
  EXPECT_EQ(selector_query(Json()), "");
  EXPECT_EQ(selector_query(Json::parse(R"({"matchLabels": 7, "matchExpressions": [1, {}]})")), "");
}

}  // namespace
}  // namespace filecall::worker::kube
