// SPDX-License-Identifier: MIT
#include "worker/config/kube_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/config/config_reader.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(KubeSection, ReadsEverything) {
  const auto config = read_config(R"(
kube:
  kubeconfig: /etc/kube/config
  contexts: [prod, "test"]
  writable:
  - {context: test, namespaces: ["*"]}
  - {context: prod, namespaces: [shop, cart]}
  revealSecrets: true
  max_in_flight: 8
  plugin_timeout: 5s
  plugin_env: [IBMCLOUD_API_KEY]
)",
                                  "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const kube::KubeConfig& kube = config->kube;
  EXPECT_EQ(kube.kubeconfig, "/etc/kube/config");
  EXPECT_THAT(kube.contexts, ElementsAre("prod", "test"));
  EXPECT_TRUE(kube.reveal_permit().has_value());
  EXPECT_EQ(kube.max_in_flight, 8);
  EXPECT_EQ(kube.plugins.timeout, seconds(5));
  EXPECT_THAT(kube.plugins.passed, ElementsAre("IBMCLOUD_API_KEY"));
  EXPECT_TRUE(kube.allows_write("prod", "shop"));
  EXPECT_FALSE(kube.allows_write("prod", "default"));
  EXPECT_FALSE(kube.allows_write("prod", "")) << "kinds without a namespace need \"*\"";
  EXPECT_TRUE(kube.allows_write("test", "anything"));
  EXPECT_TRUE(kube.allows_write("test", ""));
}

TEST(KubeSection, AllowsNoWriteAndRevealsNothingByDefault) {
  const auto config = read_config("kube: {}", "w.yaml");
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->kube.allows_write("any", "default"));
  EXPECT_FALSE(config->kube.reveal_permit().has_value());
}

TEST(KubeSection, RefusesWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> cases[] = {
      {"kube: {writable: all}", "must be a list of {context"},
      {"kube: {writable: [{context: a}]}", "must be a list of {context"},
      {"kube: {writable: [{context: a, namespaces: []}]}", "must be a list of {context"},
      {"kube: {contexts: [b], writable: [{context: a, namespaces: [x]}]}",
       "a is not among kube.contexts"},
      {"kube: {token: canary}", "unknown key"},
      {"kube: {max_in_flight: 0}", "max_in_flight"},
  };
  for (const auto& [yaml, reason] : cases) {
    const auto config = read_config(yaml, "w.yaml");
    ASSERT_FALSE(config) << yaml;
    EXPECT_THAT(config.error().message, HasSubstr(reason));
    EXPECT_THAT(config.error().message, testing::Not(HasSubstr("canary")));
  }
}

}  // namespace
}  // namespace filecall::worker
