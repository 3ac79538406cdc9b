// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/references.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

Json found(const char* kind, const char* text) {
  const Json object = Json::parse(text);
  return references_json(references_of(ReferenceTable::builtin(), parse_kind(kind), object));
}

/// The row for a path; null when there is none.
Json at(const Json& rows, const std::string& path) {
  for (const Json& row : rows) {
    if (row["path"] == path) return row;
  }
  return {};
}

TEST(References, OfAPodTemplateStandInItsController) {
  const Json rows = found("apps/Deployment", R"({
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"spec": {
      "serviceAccountName": "web-sa",
      "imagePullSecrets": [{"name": "regcred"}],
      "volumes": [{"name": "a", "configMap": {"name": "conf", "optional": true}},
                  {"name": "b", "persistentVolumeClaim": {"claimName": "data"}}],
      "initContainers": [{"envFrom": [{"secretRef": {"name": "init"}}]}],
      "containers": [{}, {"env": [{"name": "X", "valueFrom": {"secretKeyRef":
        {"name": "db", "key": "password"}}}]}]}}}})");
  EXPECT_EQ(at(rows, "/spec/template/spec/containers/1/env/0/valueFrom/secretKeyRef/name"),
            Json::parse(R"({
    "path": "/spec/template/spec/containers/1/env/0/valueFrom/secretKeyRef/name",
    "kind": "Secret", "name": "db", "namespace": "shop", "key": "password"})"));
  EXPECT_EQ(at(rows, "/spec/template/spec/volumes/0/configMap/name")["optional"], true);
  EXPECT_EQ(at(rows, "/spec/template/spec/volumes/1/persistentVolumeClaim/claimName")["kind"],
            "PersistentVolumeClaim");
  EXPECT_EQ(at(rows, "/spec/template/spec/initContainers/0/envFrom/0/secretRef/name")["name"],
            "init");
  EXPECT_EQ(at(rows, "/spec/template/spec/serviceAccountName")["name"], "web-sa");
  EXPECT_EQ(at(rows, "/spec/template/spec/imagePullSecrets/0/name")["name"], "regcred");
  EXPECT_EQ(at(rows, "/spec/selector")["selector"], Json({{"matchLabels", {{"app", "web"}}}}));
}

TEST(References, OfACronJobStandTwoTemplatesDeep) {
  const Json rows = found("batch/CronJob", R"({"metadata": {"name": "c", "namespace": "n"},
    "spec": {"jobTemplate": {"spec": {"template": {"spec": {"volumes":
      [{"secret": {"secretName": "s"}}]}}}}}})");
  EXPECT_EQ(at(rows, "/spec/jobTemplate/spec/template/spec/volumes/0/secret/secretName")["name"],
            "s");
}

TEST(References, AServiceWithoutSelectorSelectsNothing) {
  EXPECT_TRUE(found("Service", R"({"metadata": {"name": "s"}, "spec": {"selector": {}}})").empty());
  const Json rows =
      found("Service", R"({"metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}}})");
  EXPECT_EQ(at(rows, "/spec/selector")["kind"], "Pod");
}

TEST(References, AnEmptyPolicySelectorSelectsAll) {
  const Json rows =
      found("networking.k8s.io/NetworkPolicy",
            R"({"metadata": {"name": "p", "namespace": "n"}, "spec": {"podSelector": {}}})");
  EXPECT_EQ(at(rows, "/spec/podSelector")["selector"], Json::object());
}

TEST(References, OfAVirtualServiceAreResolved) {
  const Json rows = found("networking.istio.io/VirtualService", R"({
    "metadata": {"name": "v", "namespace": "shop"},
    "spec": {"hosts": ["reviews"], "gateways": ["mesh", "infra/edge", "own"], "http": [
      {"route": [{"destination": {"host": "reviews", "subset": "v2"}},
                 {"destination": {"host": "ratings.other.svc.cluster.local"}},
                 {"destination": {"host": "ratings.other.svc"}},
                 {"destination": {"host": "api.example.com"}}]}]}})");
  EXPECT_EQ(at(rows, "/spec/http/0/route/0/destination/host"),
            Json::parse(R"({"path": "/spec/http/0/route/0/destination/host", "kind": "Service",
              "name": "reviews", "namespace": "shop", "host": "reviews.shop.svc.cluster.local"})"));
  EXPECT_EQ(at(rows, "/spec/http/0/route/0/destination/subset")["subset"], "v2");
  EXPECT_EQ(at(rows, "/spec/http/0/route/0/destination/subset")["kind"], "DestinationRule");
  EXPECT_EQ(at(rows, "/spec/http/0/route/1/destination/host")["namespace"], "other");
  EXPECT_TRUE(at(rows, "/spec/http/0/route/2/destination/host").contains("hint"));
  EXPECT_EQ(at(rows, "/spec/http/0/route/3/destination/host")["kind"], "ServiceEntry");
  EXPECT_TRUE(at(rows, "/spec/gateways/0").is_null()) << "mesh is no object";
  EXPECT_EQ(at(rows, "/spec/gateways/1")["namespace"], "infra");
  EXPECT_EQ(at(rows, "/spec/gateways/2")["namespace"], "shop");
  EXPECT_EQ(at(rows, "/spec/hosts/0")["name"], "reviews");
}

TEST(References, HostsOfARuleForGatewaysAloneAreNamesOfTheOutside) {
  const Json rows = found("networking.istio.io/VirtualService", R"({
    "metadata": {"name": "v", "namespace": "n"}, "spec": {"hosts": ["shop"], "gateways": ["g"]}})");
  EXPECT_TRUE(at(rows, "/spec/hosts/0").is_null());
}

TEST(References, OfRolesGoToAccountsInEveryForm) {
  const Json rows = found("rbac.authorization.k8s.io/RoleBinding", R"({
    "metadata": {"name": "b", "namespace": "n"},
    "roleRef": {"kind": "ClusterRole", "name": "view"},
    "subjects": [{"kind": "ServiceAccount", "name": "a"},
                 {"kind": "User", "name": "system:serviceaccount:other:b"},
                 {"kind": "User", "name": "jane"},
                 {"kind": "Group", "name": "system:serviceaccounts:third"}]})");
  EXPECT_EQ(at(rows, "/roleRef"), Json::parse(R"({"path": "/roleRef", "kind": "ClusterRole",
              "group": "rbac.authorization.k8s.io", "name": "view"})"));
  EXPECT_EQ(at(rows, "/subjects/0")["namespace"], "n");
  EXPECT_EQ(at(rows, "/subjects/1")["namespace"], "other");
  EXPECT_EQ(at(rows, "/subjects/1")["name"], "b");
  EXPECT_TRUE(at(rows, "/subjects/2").is_null());
  EXPECT_EQ(at(rows, "/subjects/3")["name"], "*");
}

TEST(References, OfARouteTakeTheKindThatItMeansByDefault) {
  const Json rows = found("gateway.networking.k8s.io/HTTPRoute", R"({
    "metadata": {"name": "r", "namespace": "n"},
    "spec": {"parentRefs": [{"name": "edge", "namespace": "infra"}],
             "rules": [{"backendRefs": [{"name": "web"}]}]}})");
  EXPECT_EQ(at(rows, "/spec/parentRefs/0")["kind"], "Gateway");
  EXPECT_EQ(at(rows, "/spec/parentRefs/0")["namespace"], "infra");
  EXPECT_EQ(at(rows, "/spec/rules/0/backendRefs/0")["kind"], "Service");
}

TEST(References, AndOwnersAreThoseOfEveryObject) {
  const Json rows = found("example.com/Widget", R"({"metadata": {"name": "w", "ownerReferences":
    [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "d", "uid": "u"}]}})");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["kind"], "Deployment");
  EXPECT_EQ(rows[0]["group"], "apps");
}

TEST(References, OfPodsWithoutAccountGoToTheDefaultOne) {
  const auto rows = found("Pod", R"({"metadata": {"name": "p", "namespace": "n"}, "spec": {}})");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["kind"], "ServiceAccount");
  EXPECT_EQ(rows[0]["name"], "default");
  EXPECT_EQ(rows[0]["namespace"], "n");
  EXPECT_EQ(rows[0]["path"], "/spec");
}

}  // namespace
}  // namespace filecall::worker::kube
