// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/resource_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/client/discovery_document.h"

namespace filecall::worker::kube {
namespace {

using testing::Contains;
using testing::ElementsAre;

Resource make(std::string group, std::string version, std::string kind, std::string plural,
              std::vector<std::string> short_names = {}) {
  Resource resource;
  resource.group = std::move(group);
  resource.version = std::move(version);
  resource.kind = std::move(kind);
  resource.plural = std::move(plural);
  resource.short_names = std::move(short_names);
  resource.verbs = {"get", "list"};
  return resource;
}

const ResourceTable& table() {
  static const ResourceTable kTable(
      {make("", "v1", "Pod", "pods", {"po"}), make("", "v1", "Service", "services", {"svc"}),
       make("", "v1", "Event", "events", {"ev"}), make("", "v1", "Endpoints", "endpoints"),
       make("apps", "v1", "Deployment", "deployments", {"deploy"}),
       make("apps", "v1beta1", "Deployment", "deployments", {"deploy"}),
       make("extensions", "v1beta1", "Ingress", "ingresses", {"ing"}),
       make("networking.k8s.io", "v1", "Ingress", "ingresses", {"ing"}),
       make("events.k8s.io", "v1", "Event", "events", {"ev"}),
       make("serving.knative.dev", "v1", "Service", "services", {"ksvc"}),
       make("networking.istio.io", "v1beta1", "Gateway", "gateways", {"gw"}),
       make("networking.istio.io", "v1alpha3", "Gateway", "gateways", {"gw"}),
       make("networking.istio.io", "v1alpha3", "EnvoyFilter", "envoyfilters"),
       make("gateway.networking.k8s.io", "v1", "Gateway", "gateways", {"gtw"}),
       make("a.example", "v1", "Backup", "backups", {"b"}),
       make("b.example", "v1", "Backup", "backups", {"b"})},
      {"metrics.k8s.io/v1beta1"});
  return kTable;
}

/// "group/version kind", or the name of what went wrong.
std::string found(std::string_view name, std::string_view api_version = "") {
  const KindMatch match = table().find(name, api_version);
  if (const auto* resource = std::get_if<const Resource*>(&match)) {
    return (*resource)->api_version() + " " + (*resource)->kind;
  }
  if (std::holds_alternative<UnknownKind>(match)) return "unknown";
  return std::holds_alternative<AmbiguousKind>(match) ? "ambiguous" : "unserved";
}

TEST(ResourceTable, FindsWhatPeopleMean) {
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"Pod", ""}, "v1 Pod"},
      {{"PODS", ""}, "v1 Pod"},
      {{"po", ""}, "v1 Pod"},
      {{"endpoints", ""}, "v1 Endpoints"},
      {{"deploy", ""}, "apps/v1 Deployment"},
      {{"deployments.apps", ""}, "apps/v1 Deployment"},
      {{"deployments.v1beta1.apps", ""}, "apps/v1beta1 Deployment"},
      {{"Deployment.v1beta1.apps", ""}, "apps/v1beta1 Deployment"},
      {{"deploy.app", ""}, "apps/v1 Deployment"},
      {{"Deployment", "apps/v1beta1"}, "apps/v1beta1 Deployment"},
      {{"service", ""}, "v1 Service"},
      {{"service.serving.knative.dev", ""}, "serving.knative.dev/v1 Service"},
      {{"Service", "serving.knative.dev/v1"}, "serving.knative.dev/v1 Service"},
      {{"event", ""}, "v1 Event"},
      {{"ev", ""}, "v1 Event"},
      {{"ingress", ""}, "networking.k8s.io/v1 Ingress"},
      {{"ingress.extensions", ""}, "extensions/v1beta1 Ingress"},
      {{"gateway", ""}, "ambiguous"},
      {{"gw", ""}, "networking.istio.io/v1beta1 Gateway"},
      {{"gtw", ""}, "gateway.networking.k8s.io/v1 Gateway"},
      {{"gateway.networking.istio.io", ""}, "networking.istio.io/v1beta1 Gateway"},
      {{"backup", ""}, "ambiguous"},
      {{"b", ""}, "a.example/v1 Backup"},
      {{"pods.nowhere", ""}, "unknown"},
      {{"pots", ""}, "unknown"},
      {{"", ""}, "unknown"},
      {{"Pod", "v2"}, "unserved"},
      {{"Deployment", "v1"}, "unserved"},
  };
  for (const auto& [asked, answer] : cases) {
    EXPECT_EQ(found(asked.first, asked.second), answer) << asked.first << " " << asked.second;
  }
}

TEST(ResourceTable, LetsIstiosVersionsStandInForEachOther) {
  EXPECT_EQ(found("Gateway", "networking.istio.io/v1"), "networking.istio.io/v1beta1 Gateway");
  EXPECT_EQ(found("EnvoyFilter", "networking.istio.io/v1"),
            "networking.istio.io/v1alpha3 EnvoyFilter");
  EXPECT_EQ(found("Gateway", "networking.istio.io/v1alpha3"),
            "networking.istio.io/v1alpha3 Gateway");
  EXPECT_EQ(found("Gateway", "gateway.networking.k8s.io/v1alpha2"), "unserved")
      << "other groups' versions differ";
}

TEST(ResourceTable, NamesTheChoicesTheVersionsAndWhatIsNear) {
  const KindMatch ambiguous = table().find("backup", "");
  ASSERT_TRUE(std::holds_alternative<AmbiguousKind>(ambiguous));
  EXPECT_THAT(
      std::get<AmbiguousKind>(ambiguous).choices,
      ElementsAre(
          testing::Pointee(testing::Property(&Resource::qualified_name, "backups.a.example")),
          testing::Pointee(testing::Property(&Resource::qualified_name, "backups.b.example"))));
  const KindMatch unserved = table().find("pods", "v2");
  EXPECT_THAT(std::get<UnservedVersion>(unserved).served, ElementsAre("v1"));
  const KindMatch unknown = table().find("deploymint", "");
  EXPECT_THAT(std::get<UnknownKind>(unknown).nearest, Contains("deployment"));
}

TEST(ResourceTable, OutlivesItsWayThroughTheCache) {
  const auto page = resources_from_json(Json::parse(dump_json(resources_to_json(table()))));
  ASSERT_TRUE(page);
  const ResourceTable again(page->resources, page->failed);
  EXPECT_EQ(again.resources(), table().resources());
  EXPECT_EQ(again.failed(), table().failed());
  EXPECT_FALSE(resources_from_json(Json::object()));
}

TEST(DiscoveryPage, ReadsAnAggregatedList) {
  const auto page = read_discovery_page(Json::parse(R"({
    "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2",
    "items": [{"metadata": {"name": "apps"}, "versions": [{"version": "v1", "freshness": "Current",
      "resources": [{"resource": "deployments", "scope": "Namespaced",
        "responseKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
        "singularResource": "deployment", "verbs": ["get"], "shortNames": ["deploy"],
        "subresources": [{"subresource": "scale"}]}, {"resource": "no-kind"}]}]},
      {"metadata": {"name": "metrics.k8s.io"}, "versions": [{"version": "v1beta1",
        "freshness": "Stale", "resources": []}]}]})"));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->resources.size(), 1u);
  const Resource& deployments = page->resources[0];
  EXPECT_EQ(deployments.api_version(), "apps/v1");
  EXPECT_TRUE(deployments.is_namespaced);
  EXPECT_THAT(deployments.subresources, ElementsAre("scale"));
  EXPECT_THAT(page->failed, ElementsAre("metrics.k8s.io/v1beta1"));
  EXPECT_TRUE(page->to_ask.empty());
}

TEST(DiscoveryPage, AsksAnOldServerForEachListWithThePreferredVersionFirst) {
  const auto core =
      read_discovery_page(Json::parse(R"({"kind": "APIVersions", "versions": ["v1"]})"));
  EXPECT_THAT(core->to_ask, ElementsAre("/api/v1"));
  const auto groups = read_discovery_page(Json::parse(R"({"kind": "APIGroupList", "groups": [
    {"name": "apps", "versions": [{"groupVersion": "apps/v1beta1"}, {"groupVersion": "apps/v1"}],
     "preferredVersion": {"groupVersion": "apps/v1"}}]})"));
  EXPECT_THAT(groups->to_ask, ElementsAre("/apis/apps/v1", "/apis/apps/v1beta1"));
  EXPECT_FALSE(read_discovery_page(Json::parse(R"({"kind": "Status"})")));
  EXPECT_FALSE(read_discovery_page(Json::parse("[1]")));
}

TEST(ResourceList, TakesSubresourcesToTheirResource) {
  const auto list = read_resource_list(Json::parse(R"({"kind": "APIResourceList", "resources": [
    {"name": "pods", "kind": "Pod", "namespaced": true, "verbs": ["get"], "shortNames": ["po"]},
    {"name": "pods/log", "kind": "Pod"}, {"name": 7}]})"),
                                       "/api/v1");
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].api_version(), "v1");
  EXPECT_THAT(list[0].subresources, ElementsAre("log"));
  const auto apps = read_resource_list(
      Json::parse(R"({"resources": [{"name": "d", "kind": "D"}]})"), "/apis/apps/v1");
  EXPECT_EQ(apps[0].api_version(), "apps/v1");
}

}  // namespace
}  // namespace filecall::worker::kube
