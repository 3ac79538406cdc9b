// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

Json pod(const char* text) { return Json::parse(text); }

struct Case {
  const char* pod;
  const char* wanted;
  const char* container;  ///< "": refused.
  const char* part;       ///< Of the refusal.
};
constexpr const char* kRunning = R"("status": {"phase": "Running", "containerStatuses": [
    {"name": "a", "state": {"running": {}}}, {"name": "b", "state": {"running": {}}}],
  "initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 0,
    "reason": "Completed"}}}],
  "ephemeralContainerStatuses": [{"name": "debug", "state": {"running": {}}}]})";

TEST(ExecContainer, IsTheOneThatWasMeantAndRuns) {
  const std::string two = std::string(R"({"metadata": {"name": "p"}, "spec": {
    "containers": [{"name": "a"}, {"name": "b"}], "initContainers": [{"name": "i"}],
    "ephemeralContainers": [{"name": "debug"}]}, )") +
                          kRunning + "}";
  const std::string annotated = std::string(R"({"metadata": {"name": "p", "annotations": {
    "kubectl.kubernetes.io/default-container": "b"}}, "spec": {
    "containers": [{"name": "a"}, {"name": "b"}]}, )") +
                                kRunning + "}";
  const std::string wrong = std::string(R"({"metadata": {"annotations": {
    "kubectl.kubernetes.io/default-container": "c"}}, "spec": {
    "containers": [{"name": "a"}]}, )") +
                            kRunning + "}";
  const Case cases[] = {
      {two.c_str(), "", "", "several containers; give one of a, b"},
      {two.c_str(), "b", "b", ""},
      {two.c_str(), "debug", "debug", ""},
      {two.c_str(), "i", "", "terminated: Completed, exit code 0"},
      {two.c_str(), "c", "", "has no container 'c'"},
      {annotated.c_str(), "", "b", ""},
      {annotated.c_str(), "a", "a", ""},
      {wrong.c_str(), "", "a", ""},
      {R"({"spec": {"containers": [{"name": "a"}]}})", "", "", "has not been started"},
      {R"({"spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Running"}})", "", "a", ""},
      {R"({"spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Succeeded"}})", "", "",
       "the pod is Succeeded"},
      {R"({"spec": {"containers": [{"name": "a"}]}, "status": {"phase": "Running",
        "containerStatuses": [{"name": "a", "state": {"waiting": {}}}]}})",
       "", "", "(waiting)"},
      {R"({})", "", "", "several"},
      {R"({"spec": {"containers": 7}, "status": [], "metadata": null})", "a", "", "no container"},
      {"7", "", "", "several"},
  };
  for (const auto& [text, wanted, container, part] : cases) {
    const auto found = exec_container_of(pod(text), wanted);
    ASSERT_EQ(found.has_value(), *container != '\0') << text << wanted;
    if (found) {
      EXPECT_EQ(*found, container) << text;
    } else {
      EXPECT_THAT(found.error().message, HasSubstr(part));
    }
  }
}

TEST(ExecPod, IsAReadyOneBeforeOneThatRuns) {
  const auto one = [](const char* name, const char* phase, const char* ready) {
    Json conditions = Json::array();
    conditions.push_back({{"type", "Ready"}, {"status", ready}});
    Json containers = Json::array();
    containers.push_back(Json{{"name", "a"}});
    return Json{{"metadata", {{"name", name}}},
                {"spec", {{"containers", containers}}},
                {"status", {{"phase", phase}, {"conditions", conditions}}}};
  };
  Failure why;
  Json pods = Json::array();
  EXPECT_EQ(choose_exec_pod(pods, "", why), "");
  pods.push_back(one("pending", "Pending", "False"));
  EXPECT_EQ(choose_exec_pod(pods, "", why), "");
  EXPECT_THAT(why.message, HasSubstr("pod pending is not running"));
  pods.push_back(one("b", "Running", "False"));
  EXPECT_EQ(choose_exec_pod(pods, "", why), "b");
  pods.push_back(one("d", "Running", "True"));
  pods.push_back(one("c", "Running", "True"));
  EXPECT_EQ(choose_exec_pod(pods, "", why), "c");
  EXPECT_EQ(choose_exec_pod(pods, "x", why), "");
  EXPECT_EQ(choose_exec_pod(Json(7), "", why), "");
}

}  // namespace
}  // namespace filecall::worker::kube
