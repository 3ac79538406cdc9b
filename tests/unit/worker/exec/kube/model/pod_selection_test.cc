// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/pod_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

std::string selector_of(const char* spec) {
  const auto selector = pod_selector_of(Json{{"spec", Json::parse(spec)}});
  return selector ? *selector : "refused";
}

TEST(PodSelection, WritesSelectorsAsAQueryTakesThem) {
  EXPECT_EQ(selector_of(R"({"selector": {"app": "web", "b": ""}})"), "app=web,b=");
  EXPECT_EQ(selector_of(R"({"selector": {"matchLabels": {"app": "web"}, "matchExpressions": [
      {"key": "a", "operator": "In", "values": ["x", "y"]},
      {"key": "b", "operator": "NotIn", "values": ["z"]},
      {"key": "c", "operator": "Exists"}, {"key": "d", "operator": "DoesNotExist"}]}})"),
            "app=web,a in (x,y),b notin (z),c,!d");
}

TEST(PodSelection, RefusesWhatChoosesNoPodsByLabels) {
  for (const char* spec : {"{}", R"({"selector": {}})", R"({"selector": null})", "[]",
                           R"({"selector": {"matchLabels": {}}})", R"({"selector": "a=b"})",
                           R"({"selector": {"a": {"b": "c"}}})",
                           R"({"selector": {"matchExpressions": [{"operator": "Gt"}]}})",
                           // What is not understood may not widen the choice.
                           R"({"selector": {"matchLabels": {"a": "b"}, "matchExpressions": {}}})",
                           R"({"selector": {"matchLabels": {"a": "b"}, "matchExpressions": 7}})",
                           R"({"selector": {"matchLabels": [1], "matchExpressions": [
                               {"key": "a", "operator": "Exists"}]}})",
                           R"({"selector": {"matchExpressions": [
                               {"key": "a", "operator": "Exists"},
                               {"key": "b", "operator": "NotIn", "values": ["x", 7]}]}})",
                           R"({"selector": {"matchLabels": {"a": "b"}, "matchExpressions": [
                               {"key": "b", "operator": "In", "values": "x"}]}})",
                           R"({"selector": {"matchLabels": {"a": "b"}, "matchExpressions": [
                               {"operator": "Exists"}]}})",
                           R"({"selector": {"matchLabels": {"a": "b"}, "more": {"c": "d"}}})"}) {
    EXPECT_EQ(selector_of(spec), "refused") << spec;
  }
}

Json pod(const char* name, const char* created, const std::vector<std::string>& containers) {
  Json out{{"metadata", {{"name", name}, {"creationTimestamp", created}}}};
  out["spec"]["containers"] = Json::array();
  for (const std::string& one : containers) out["spec"]["containers"].push_back({{"name", one}});
  out["spec"]["initContainers"] = {{{"name", "setup"}}};
  return out;
}

std::string chosen(const LogStreams& streams) {
  std::string out;
  for (const LogStream& one : streams.streams) out += one.pod + "/" + one.container + " ";
  return out + std::to_string(streams.pods_left_out);
}

TEST(PodSelection, TakesTheNewestPodsWithAllTheirContainers) {
  const Json pods{pod("old", "2026-01-01T00:00:00Z", {"a", "b"}),
                  pod("new", "2026-01-02T00:00:00Z", {"a", "b"}),
                  pod("also", "2026-01-02T00:00:00Z", {"a"})};
  EXPECT_EQ(chosen(choose_log_streams(pods, "", 10, 50)), "also/a new/a new/b old/a old/b 0");
  EXPECT_EQ(chosen(choose_log_streams(pods, "", 2, 50)), "also/a new/a new/b 1");
  EXPECT_EQ(chosen(choose_log_streams(pods, "", 10, 2)), "also/a 2");
  EXPECT_EQ(chosen(choose_log_streams(pods, "b", 10, 50)), "new/b old/b 1");
  EXPECT_EQ(chosen(choose_log_streams(pods, "setup", 1, 50)), "also/setup 2");
  EXPECT_EQ(chosen(choose_log_streams(Json(), "", 10, 50)), "0");
  EXPECT_EQ(chosen(choose_log_streams(Json{1, Json::object()}, "", 10, 50)), "2");
}

}  // namespace
}  // namespace filecall::worker::kube
