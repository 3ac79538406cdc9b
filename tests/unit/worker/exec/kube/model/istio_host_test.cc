// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/istio_host.h"

#include <gtest/gtest.h>

#include "worker/exec/kube/model/label_selector.h"

namespace filecall::worker::kube {
namespace {

using Form = IstioHost::Form;

TEST(IstioHost, CompletesShortNamesAndNothingElse) {
  EXPECT_EQ(read_istio_host("reviews", "shop"),
            (IstioHost{Form::kService, "reviews", "shop", "reviews.shop.svc.cluster.local"}));
  EXPECT_EQ(read_istio_host("reviews.other.svc.cluster.local", "shop"),
            (IstioHost{Form::kService, "reviews", "other", "reviews.other.svc.cluster.local"}));
  EXPECT_EQ(read_istio_host("reviews.other.svc.corp.example", "shop").ns, "other");
  EXPECT_EQ(read_istio_host("reviews.other.svc", "shop").form, Form::kNotExpanded);
  EXPECT_EQ(read_istio_host("api.example.com", "shop").form, Form::kExternal);
  EXPECT_EQ(read_istio_host("*.shop.svc.cluster.local", "x").form, Form::kWildcard);
  EXPECT_EQ(read_istio_host("*", "x").form, Form::kWildcard);
}

TEST(IstioHost, IsCompletedByDnsElsewhere) {
  EXPECT_EQ(read_dns_host("jwks.auth", "shop").ns, "auth");
  EXPECT_EQ(read_dns_host("jwks.auth.svc", "shop").name, "jwks");
  EXPECT_EQ(read_dns_host("login.example.com", "shop").form, Form::kExternal);
}

TEST(IstioHost, OverlapsByWildcards) {
  EXPECT_TRUE(hosts_overlap("a.example.com", "a.example.com"));
  EXPECT_TRUE(hosts_overlap("*.example.com", "a.example.com"));
  EXPECT_TRUE(hosts_overlap("a.example.com", "*.example.com"));
  EXPECT_TRUE(hosts_overlap("*.a.example.com", "*.example.com"));
  EXPECT_TRUE(hosts_overlap("*", "anything"));
  EXPECT_FALSE(hosts_overlap("*.example.com", "example.com"));
  EXPECT_FALSE(hosts_overlap("a.example.com", "b.example.com"));
}

TEST(IstioExport, IsEverywhereUnlessItSaysWhere) {
  EXPECT_TRUE(is_exported_to(Json(), "a", "b"));
  EXPECT_TRUE(is_exported_to(Json::array({"*"}), "a", "b"));
  EXPECT_TRUE(is_exported_to(Json::array({"b"}), "a", "b"));
  EXPECT_TRUE(is_exported_to(Json::array({"."}), "a", "a"));
  EXPECT_FALSE(is_exported_to(Json::array({"."}), "a", "b"));
  EXPECT_FALSE(is_exported_to(Json::array({"~"}), "a", "b"));
}

TEST(LabelSelector, FitsByAllItsParts) {
  const Json labels = {{"app", "web"}, {"tier", "3"}};
  const auto fits = [&](const char* selector) {
    return selector_matches(Json::parse(selector), labels);
  };
  EXPECT_TRUE(fits("{}"));
  EXPECT_TRUE(fits(R"({"matchLabels": {"app": "web"}})"));
  EXPECT_FALSE(fits(R"({"matchLabels": {"app": "web", "x": "y"}})"));
  EXPECT_TRUE(
      fits(R"({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]})"));
  EXPECT_FALSE(
      fits(R"({"matchExpressions": [{"key": "no", "operator": "In", "values": ["web"]}]})"));
  EXPECT_TRUE(
      fits(R"({"matchExpressions": [{"key": "no", "operator": "NotIn", "values": ["a"]}]})"));
  EXPECT_TRUE(fits(R"({"matchExpressions": [{"key": "app", "operator": "Exists"}]})"));
  EXPECT_FALSE(fits(R"({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]})"));
  EXPECT_TRUE(
      fits(R"({"matchExpressions": [{"key": "tier", "operator": "Gt", "values": ["2"]}]})"));
  EXPECT_FALSE(
      fits(R"({"matchExpressions": [{"key": "tier", "operator": "Lt", "values": ["2"]}]})"));
  EXPECT_FALSE(fits(R"({"matchExpressions": [{"key": "app", "operator": "Later"}]})"));
  EXPECT_FALSE(selector_matches(Json(1), labels));
}

TEST(Glob, FitsStarsAnywhere) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("a*c", "abbc"));
  EXPECT_TRUE(glob_matches("*.metrics.k8s.io", "v1beta1.metrics.k8s.io"));
  EXPECT_TRUE(glob_matches("data-db-*", "data-db-0"));
  EXPECT_FALSE(glob_matches("a*c", "abcd"));
  EXPECT_FALSE(glob_matches("abc", "abcd"));
}

}  // namespace
}  // namespace filecall::worker::kube
