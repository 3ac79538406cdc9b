// SPDX-License-Identifier: MIT
// What a server answers may have any type anywhere. Each reader is given documents in which one
// member after the other has another type: no reader throws or ends the process.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/api_schema.h"
#include "worker/exec/kube/model/disruption_budget.h"
#include "worker/exec/kube/model/field_owners.h"
#include "worker/exec/kube/model/helm_storage.h"
#include "worker/exec/kube/model/label_selector.h"
#include "worker/exec/kube/model/object_managers.h"
#include "worker/exec/kube/model/object_tree.h"
#include "worker/exec/kube/model/pod_selection.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/revisions.h"
#include "worker/exec/kube/model/rollout.h"
#include "worker/exec/kube/model/sanitize.h"
#include "worker/exec/kube/model/usage.h"
#include "worker/exec/kube/model/wait_condition.h"

namespace filecall::worker::kube {
namespace {

using Read = std::function<Json(const Json&)>;

void add_places(const Json& value, const Json::json_pointer& at,
                std::vector<Json::json_pointer>& out) {
  out.push_back(at);
  if (value.is_object()) {
    for (const auto& [name, item] : value.items()) add_places(item, at / name, out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) add_places(value[i], at / i, out);
  }
}

/// How often the reader was called.
std::size_t read_with_wrong_types(const Json& document, const Read& read) {
  const std::vector<Json> others{
      nullptr, 1, "x", Json::array(), Json::object(), Json::array({nullptr})};
  std::vector<Json::json_pointer> places;
  add_places(document, Json::json_pointer(), places);
  std::size_t count = 0;
  Json changed = document;
  for (const Json::json_pointer& place : places) {
    for (const Json& other : others) {
      Json kept = std::exchange(changed[place], other);
      try {
        // A text that is no UTF-8 cannot be written.
        EXPECT_FALSE(dump_json(read(changed)).empty());
      } catch (const std::exception& error) {
        ADD_FAILURE() << "'" << place.to_string() << "' = " << other.dump() << ": " << error.what();
      }
      changed[place] = std::move(kept);
      ++count;
    }
  }
  EXPECT_EQ(changed, document);
  return count;
}

Json shown_by_redactor(const std::string& name, const Json& value) {
  Redactor redactor(DigestKey{});
  Json object = Json::object();
  object[name] = value;
  return redactor.redact(std::move(object), {})[name];
}

/// {"definitions": ...} and {"components": {"schemas": ...}} with the same schemas.
Json schemas() {
  return Json::parse(R"({
    "Shop": {"type": "object", "required": ["spec"], "description": "A shop. Of any size.",
      "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Shop"}],
      "properties": {
        "spec": {"allOf": [{"$ref": "#/definitions/Spec"}], "description": "Wanted.",
                 "default": {}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "lists": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "port": {"x-kubernetes-int-or-string": true},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}},
    "Spec": {"type": "object", "description": "The spec.", "required": ["size"], "properties": {
        "size": {"type": "string", "enum": ["s"], "default": "s", "pattern": "^s$",
                 "format": "f", "minimum": 1, "maximum": 2},
        "self": {"$ref": "#/definitions/Spec"}}},
    "Circle": {"$ref": "#/definitions/Circle", "items": {"$ref": "#/definitions/Circle"}}})");
}

void expect_well_formed(const Json& said) {
  EXPECT_TRUE(said.at("type").is_string());
  EXPECT_TRUE(member(said, "enum").is_null() || said["enum"].is_array());
  for (const char* name : {"format", "pattern", "description"}) {
    EXPECT_TRUE(member(said, name).is_null() || said[name].is_string()) << name;
  }
  for (const char* name : {"minimum", "maximum"}) {
    EXPECT_TRUE(member(said, name).is_null() || said[name].is_number()) << name;
  }
  const Json& required = member(said, "requiredFields");
  for (const Json& name : required) EXPECT_TRUE(name.is_string());
  for (const Json& row : member(said, "fields")) expect_well_formed(row);
}

TEST(WrongTypes, InASchemaAreNotThere) {
  const Read read = [](const Json& document) {
    Json all = Json::array();
    for (const char* field : {"", "spec.size", "lists.x", "spec.self", "spec.sizee"}) {
      const ExplainQuestion question{"g", "v1", "Shop", field, 3};
      (void)describes(document, question);
      const auto said = explain(document, question, shown_by_redactor);
      if (said) expect_well_formed(*said);
      all.push_back(said ? *said : Json(said.error().message));
    }
    return all;
  };
  const Json older{{"definitions", schemas()}};
  EXPECT_EQ(read(older).at(0).at("fields").size(), 6U);
  EXPECT_GT(read_with_wrong_types(older, read), 300U);
  Json newer = Json::object();
  newer["components"]["schemas"] = schemas();
  EXPECT_GT(read_with_wrong_types(
                newer,
                [](const Json& document) {
                  const auto said = explain(document, {"g", "v1", "Shop", ""}, shown_by_redactor);
                  return said ? *said : Json(said.error().message);
                }),
            300U);
}

TEST(WrongTypes, AmongPropertiesAreNoFields) {
  const Json document = Json::parse(R"({"definitions": {"D": {"type": "object",
      "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Shop"}],
      "required": ["b", 7],
      "properties": {"a": null, "b": {"type": "string"}, "c": 1, "d": []}}}})");
  const Json said = explain(document, {"g", "v1", "Shop", ""}, shown_by_redactor).value();
  ASSERT_EQ(said.at("fields").size(), 1U);
  EXPECT_EQ(said["fields"][0].at("name"), "b");
  EXPECT_EQ(said.at("requiredFields"), Json::array({"b"}));
  EXPECT_EQ(said.at("complete"), true);
  const auto absent = explain(document, {"g", "v1", "Shop", "a"}, shown_by_redactor);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message.find("a,"), std::string::npos) << "it is not suggested";
}

Json pod_document() {
  return Json::parse(R"({"metadata": {"name": "web-0", "namespace": "shop", "uid": "u2",
      "labels": {"app": "web"}, "creationTimestamp": "2026-01-01T00:00:00Z",
      "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web",
                           "uid": "u1", "controller": true}]},
    "spec": {"nodeName": "n", "containers": [{"name": "a", "env": [{"name": "A", "valueFrom":
               {"secretKeyRef": {"name": "s", "key": "k"}}}],
               "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}}],
             "initContainers": [{"name": "i"}], "volumes": [{"name": "v",
               "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}}]},
    "status": {"phase": "Running"}})");
}

TEST(WrongTypes, InATreeAreNotThere) {
  const Json documents{
      {"owner", Json::parse(R"({"metadata": {"name": "web", "namespace": "shop", "uid": "u1"}})")},
      {"pod", pod_document()},
      {"service", Json::parse(R"({"metadata": {"name": "web", "namespace": "shop"},
                                  "spec": {"selector": {"app": "web"}}})")}};
  const Read read = [](const Json& all) {
    ObjectGraph graph(ReferenceTable::builtin());
    graph.add({"apps", "ReplicaSet"}, member(all, "owner"));
    graph.add({"", "Pod"}, member(all, "pod"));
    graph.add({"", "Service"}, member(all, "service"));
    graph.link();
    return graph.size() == 0 ? Json() : describe_tree(graph, 0);
  };
  EXPECT_EQ(read(documents).at("owned").size(), 1U);
  EXPECT_EQ(read(documents).at("usedBy").size(), 1U);
  EXPECT_GT(read_with_wrong_types(documents, read), 200U);
}

TEST(WrongTypes, InMetricsAreNotThere) {
  const Json documents{
      {"metrics", Json::parse(R"([{"metadata": {"namespace": "shop", "name": "web-0"},
          "timestamp": "2026-01-01T00:00:02Z", "window": "30s",
          "containers": [{"name": "a", "usage": {"cpu": "15n", "memory": "1Ki"}}],
          "usage": {"cpu": 18446744073709551615, "memory": -1}}])")},
      {"nodes", Json::parse(R"([{"metadata": {"name": "n"},
          "status": {"allocatable": {"cpu": "4", "memory": "9e18"}}}])")},
      {"pods", Json::array({pod_document()})}};
  const Read read = [](const Json& all) {
    UsageQuestion by_container;
    by_container.by_container = true;
    by_container.sort_by = "memory";
    const Json& metrics = member(all, "metrics");
    const Json& pods = member(all, "pods");
    return Json::array({pod_usage(metrics, pods, {}), pod_usage(metrics, pods, by_container),
                        node_usage(metrics, member(all, "nodes"), pods, {})});
  };
  EXPECT_EQ(read(documents).at(0).at("returned"), 1);
  EXPECT_GT(read_with_wrong_types(documents, read), 200U);
}

TEST(WrongTypes, InTheStorageOfHelmAreNotThere) {
  Json release = Json::parse(R"({"name": "web", "namespace": "shop", "version": 1,
      "info": {"status": "deployed", "description": "d", "first_deployed": "t",
               "last_deployed": "t"},
      "chart": {"metadata": {"name": "c", "version": "1", "appVersion": "2"}},
      "config": {"password": "hunter2", "list": [{"a": 1}]},
      "hooks": [{"manifest": "kind: Job"}]})");
  release["manifest"] = "kind: Secret\ndata: 7\n---\nkind: [1]\nmetadata: {name: 1}\n---\n- 1\n";
  const Read read = [](const Json& stored) {
    HelmRelease read_release = read_helm_release(stored);
    EXPECT_TRUE(read_release.values.is_object());
    Redactor redactor(DigestKey{});
    for (const Json& object : read_release.objects) redactor.learn(object, {"", "Secret"});
    Json data = std::move(read_release.summary);
    data["values"] = std::move(read_release.values);
    data = redactor.redact(std::move(data), {});
    EXPECT_TRUE(data.is_object());
    return data;
  };
  EXPECT_EQ(read_helm_release(release).objects.size(), 3U);
  EXPECT_GT(read_with_wrong_types(release, read), 100U);
}

/// A workload, what keeps its revisions, and its budget.
Json workload_documents() {
  return Json::parse(R"({
    "owner": {"metadata": {"uid": "u", "generation": 2, "deletionTimestamp": "t",
        "finalizers": ["f"], "resourceVersion": "7",
        "annotations": {"deployment.kubernetes.io/revision": "2", "other": "o"}},
      "spec": {"replicas": 3, "paused": true,
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
        "selector": {"matchLabels": {"app": "web"}, "matchExpressions": [
          {"key": "tier", "operator": "In", "values": ["a"]}, {"key": "b", "operator": "Exists"}]},
        "template": {"metadata": {"labels": {"app": "web"}}}},
      "status": {"observedGeneration": 2, "replicas": 3, "readyReplicas": 3,
        "updatedReplicas": 3, "availableReplicas": 3, "desiredNumberScheduled": 1,
        "updateRevision": "web-2", "currentRevision": "web-1",
        "conditions": [{"type": "Ready", "status": "True", "reason": "r", "message": "m",
                        "observedGeneration": 2}]}},
    "items": [
      {"metadata": {"name": "web-1", "creationTimestamp": "t",
          "annotations": {"deployment.kubernetes.io/revision": "1",
                          "kubernetes.io/change-cause": "c"},
          "ownerReferences": [{"controller": true, "uid": "u", "kind": "Deployment"}]},
        "status": {"replicas": 1},
        "spec": {"template": {"metadata": {"labels": {"pod-template-hash": "h"}},
                              "spec": {"containers": [{"image": "i"}]}}}},
      {"metadata": {"name": "web-2", "ownerReferences": [{"controller": true, "uid": "u"}]},
        "revision": 2, "data": {"spec": {"template": {"$patch": "replace"}}}}]})");
}

Json rollouts_of(const Json& all) {
  const Json& owner = member(all, "owner");
  const Json& items = member(all, "items");
  Json out = Json::array({conditions_of(owner), history_of("Deployment", owner, items),
                          history_of("StatefulSet", owner, items), precondition_of(owner)});
  for (const char* kind : {"Deployment", "StatefulSet", "DaemonSet"}) {
    const Rollout rollout = rollout_of(kind, owner);
    out.push_back(rollout.message);
    out.push_back(rollout.counts);
  }
  const std::vector<Revision> revisions = revisions_of("Deployment", owner, items);
  if (const auto chosen = choose_revision("Deployment", owner, revisions, 0)) {
    out.push_back(template_of(items[chosen->index]));
    out.push_back(annotations_after_undo(owner, items[chosen->index]));
  }
  out.push_back(selector_query(member(member(owner, "spec"), "selector")));
  out.push_back(pod_selector_of(owner).value_or(""));
  return out;
}

TEST(WrongTypes, InAWorkloadAndItsRevisionsAreNotThere) {
  const Json documents = workload_documents();
  EXPECT_EQ(rollouts_of(documents).at(1).size(), 1U);
  EXPECT_EQ(rollouts_of(documents).at(2).size(), 1U);
  EXPECT_GT(read_with_wrong_types(documents, rollouts_of), 300U);
}

TEST(WrongTypes, InWhatIsWaitedForAreNotThere) {
  const Json object = workload_documents().at("owner");
  for (const char* text : {"create", "delete", "condition=Ready", "jsonpath={.status.replicas}=3",
                           "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=True",
                           "jsonpath={.spec.*[*][-1]}"}) {
    const WaitCondition condition = parse_wait(text).value();
    read_with_wrong_types(object, [&](const Json& one) { return view_of(condition, one).seen; });
  }
  const WaitView view =
      view_of(parse_wait("delete").value(),
              Json{{"metadata", {{"finalizers", 1}, {"deletionTimestamp", "t"}}}});
  EXPECT_EQ(view.seen, "it is being deleted") << "a number holds nothing";
}

TEST(WrongTypes, OfManagersOfAnObjectAreNotThere) {
  const Json document = Json::parse(R"({"apiVersion": "apps/v1", "kind": "Deployment",
      "metadata": {"name": "web", "namespace": "shop",
        "labels": {"app.kubernetes.io/managed-by": "Helm"},
        "annotations": {"argocd.argoproj.io/tracking-id": "a:apps/Deployment:shop/web"},
        "ownerReferences": [{"kind": "Shop", "name": "s", "controller": true}],
        "managedFields": [{"manager": "m", "operation": "Update", "fieldsType": "FieldsV1",
          "time": "t", "fieldsV1": {"f:spec": {"k:{\"name\":\"a\"}": {".": {}}}}}]},
      "spec": {"minReplicas": 1, "maxReplicas": 2, "scaleTargetRef": {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}})");
  const Read read = [](const Json& object) {
    std::vector<FieldOwners::Fields> managers;
    const auto owners =
        FieldOwners::read(object, [](std::string_view text) { return std::string(text); });
    if (owners) managers = owners->taken_by({"x", "Apply", ""}, FieldOwners());
    return Json::array({manager_warnings(object, managers), owners_in_words(managers),
                        shown_owners(managers),
                        autoscaler_warnings(Json::array({object}), object, 1)});
  };
  EXPECT_EQ(read(document).at(0).size(), 2U);
  EXPECT_EQ(read(document).at(1), R"('m' (Update, t): .spec[name="a"])");
  EXPECT_EQ(read(document).at(3).size(), 0U) << "the kind of a target is that of the identity";
  EXPECT_GT(read_with_wrong_types(document, read), 150U);
}

TEST(WrongTypes, OfPodsAndTheirBudgetsAreNotThere) {
  const Json documents{
      {"budgets", Json::parse(R"([{"apiVersion": "policy/v1", "metadata": {"name": "b"},
          "spec": {"minAvailable": "50%", "maxUnavailable": 1, "selector": {
            "matchLabels": {"app": "web"}, "matchExpressions": [
              {"key": "app", "operator": "NotIn", "values": ["db"]}]}},
          "status": {"disruptionsAllowed": 0, "currentHealthy": 1, "desiredHealthy": 1,
                     "expectedPods": 1}}])")},
      {"pod", pod_document()},
      {"details", {{"causes", Json::array({{{"reason", "DisruptionBudget"}}})}}}};
  const Read read = [](const Json& all) {
    const Json rows = budgets_of(member(all, "budgets"), "policy/v1", member(all, "pod"));
    Failure failure;
    failure.details = member(all, "details");
    const LogStreams logs = choose_log_streams(Json::array({member(all, "pod")}), "", 5, 5);
    (void)choose_log_streams(member(all, "pod"), "i", 5, 5);
    return Json::array({rows, budgets_in_words(rows), controller_of(member(all, "pod")),
                        is_of_budget(failure), logs.streams.size()});
  };
  EXPECT_EQ(read(documents).at(0).size(), 1U);
  EXPECT_EQ(read(documents).at(4), 1);
  EXPECT_GT(read_with_wrong_types(documents, read), 200U);
}

}  // namespace
}  // namespace filecall::worker::kube
