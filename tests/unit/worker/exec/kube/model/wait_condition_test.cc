// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/wait_condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

const Json kPod = Json::parse(R"({"metadata": {"name": "web", "generation": 2, "labels":
    {"a.b/c": "x"}, "finalizers": ["hold"]}, "status": {"phase": "Running", "podIPs":
    [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}], "count": 3, "conditions": [
    {"type": "Ready", "status": "False", "reason": "NotYet", "message": "containers wait"},
    {"type": "Initialized", "status": "True"},
    {"type": "Old", "status": "True", "observedGeneration": 1}]}})");

WaitView looked(const char* text, const Json& object = kPod) {
  const auto condition = parse_wait(text);
  EXPECT_TRUE(condition) << text << (condition ? "" : condition.error().message);
  return condition ? view_of(*condition, object) : WaitView{};
}

TEST(WaitCondition, HoldsAsKubectlHasIt) {
  struct Row {
    const char* text;
    bool is_met;
    const char* seen;
  };
  constexpr Row kRows[] = {
      {"create", true, "is there"},
      {"delete", false, "finalizers hold it: [\"hold\"]"},
      {"condition=Ready", false, "Ready is False (NotYet): containers wait"},
      {"condition=ready=false", true, "Ready is False"},
      {"condition=Initialized", true, "Initialized is True"},
      {"condition=Old", false, "older generation"},
      {"condition=None", false, "no condition None"},
      {"jsonpath={.status.phase}=Running", true, "it is Running"},
      {"jsonpath='{.status.phase}'=Running", true, "it is Running"},
      {"jsonpath=.status.phase=Failed", false, "it is Running"},
      {"jsonpath={.status.count}=3", true, "it is 3"},
      {"jsonpath={.status.podIPs[1].ip}=10.0.0.2", true, "10.0.0.2"},
      {"jsonpath={.status.podIPs[-1].ip}=10.0.0.2", true, "10.0.0.2"},
      {"jsonpath={.status.podIPs[*].ip}=10.0.0.2", false, "and 1 more"},
      {"jsonpath={.status.podIPs}", true, "10.0.0.1"},
      {"jsonpath={.status.none}", false, "nothing stands"},
      {"jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=False", true, "it is False"},
      {"jsonpath={.metadata.labels['a.b/c']}=x", true, "it is x"},
      {"jsonpath={.metadata.labels.a\\.b/c}=x", true, "it is x"},
  };
  for (const Row& row : kRows) {
    const WaitView view = looked(row.text);
    EXPECT_EQ(view.is_met, row.is_met) << row.text << ": " << view.seen;
    EXPECT_THAT(view.seen, HasSubstr(row.seen)) << row.text;
  }
}

TEST(WaitCondition, OfWhatIsNotThereOnlyItsEndHolds) {
  EXPECT_TRUE(looked("delete", Json()).is_met);
  for (const char* text : {"create", "condition=Ready", "jsonpath={.a}"}) {
    EXPECT_FALSE(looked(text, Json()).is_met) << text;
  }
}

TEST(WaitCondition, AHiddenValueIsNeverSeenToHold) {
  const Json secret =
      Json::parse(R"({"data": {"a": {"redacted": true, "bytes": 1}, "b": "[redacted bytes=1]"}})");
  EXPECT_TRUE(looked("jsonpath={.data.a}=eA==", secret).is_hidden);
  EXPECT_TRUE(looked("jsonpath={.data.b}=eA==", secret).is_hidden);
  EXPECT_FALSE(looked("jsonpath={.data.a}", secret).is_hidden);
}

TEST(WaitCondition, WhatIsNotUnderstoodIsRefused) {
  for (const char* text :
       {"", "ready", "condition=", "condition=Ready=", "jsonpath=", "jsonpath={}",
        "jsonpath={.a}=", "jsonpath={.a[}", "jsonpath={.a[?(@.b>1)]}", "jsonpath={range .a}",
        "jsonpath='{.a}", "jsonpath={..a}", "Delete"}) {
    const auto condition = parse_wait(text);
    ASSERT_FALSE(condition) << text;
    EXPECT_EQ(condition.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(condition.error().message, HasSubstr("/params/for")) << text;
  }
}

TEST(WaitCondition, LooksAtObjectsOfAnyForm) {
  for (const char* object : {"[]", "{}", R"({"status": 7})", R"({"status": {"conditions": 7}})",
                             R"({"status": {"conditions": [1, {"type": 2}]}, "metadata": []})"}) {
    EXPECT_FALSE(looked("condition=Ready", Json::parse(object)).is_met) << object;
    EXPECT_FALSE(looked("jsonpath={.status.a[0].b}=1", Json::parse(object)).is_met) << object;
  }
}

}  // namespace
}  // namespace filecall::worker::kube
