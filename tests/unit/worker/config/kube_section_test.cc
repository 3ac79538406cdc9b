// SPDX-License-Identifier: MIT
#include "worker/config/kube_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/config/config_reader.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

kube::Resource resource(const char* group, const char* kind, const char* plural,
                        bool is_namespaced) {
  kube::Resource out;
  out.group = group;
  out.kind = kind;
  out.plural = plural;
  out.is_namespaced = is_namespaced;
  return out;
}

const kube::Resource kMaps = resource("", "ConfigMap", "configmaps", true);

TEST(KubeSection, ReadsEverything) {
  const auto config = read_config(R"(
kube:
  kubeconfig: /etc/kube/config
  contexts: [prod, "test"]
  writable:
  - {context: test, namespaces: ["*"]}
  - {context: prod, namespaces: [shop, cart]}
  preview_validity: 2m
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
  EXPECT_EQ(kube.preview_validity, seconds(120));
  EXPECT_EQ(kube.plugins.timeout, seconds(5));
  EXPECT_THAT(kube.plugins.passed, ElementsAre("IBMCLOUD_API_KEY"));
  EXPECT_TRUE(kube.allows_write("prod", kMaps, "shop", {"create"}));
  EXPECT_FALSE(kube.allows_write("prod", kMaps, "default", {"create"}));
  EXPECT_TRUE(kube.allows_write("test", kMaps, "anything", {"create", "patch", "delete"}));
}

TEST(KubeSection, AllowsNoWriteAndRevealsNothingByDefault) {
  const auto config = read_config("kube: {}", "w.yaml");
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->kube.allows_write("any", kMaps, "default", {"create"}));
  EXPECT_FALSE(config->kube.reveal_permit().has_value());
  EXPECT_EQ(config->kube.preview_validity, seconds(15 * 60));
}

TEST(KubeSection, OpensByNameWhatConcernsMoreThanItsNamespace) {
  const kube::Resource guarded[] = {
      resource("", "Secret", "secrets", true),
      resource("rbac.authorization.k8s.io", "RoleBinding", "rolebindings", true),
      resource("rbac.authorization.k8s.io", "ClusterRole", "clusterroles", false),
      resource("admissionregistration.k8s.io", "MutatingWebhookConfiguration",
               "mutatingwebhookconfigurations", false),
      resource("", "Namespace", "namespaces", false)};
  const auto allows = [](const std::string& more, const kube::Resource& kind, const char* verb) {
    const auto config =
        read_config("kube: {writable: [{context: c, namespaces: [\"*\"]" + more + "}]}", "w.yaml");
    EXPECT_TRUE(config) << more;
    return config && config->kube.allows_write("c", kind, kind.is_namespaced ? "shop" : "", {verb});
  };
  for (const kube::Resource& kind : guarded) {
    EXPECT_FALSE(allows("", kind, "patch")) << kind.kind;
    EXPECT_FALSE(allows(", kinds: [\"*\"]", kind, "patch")) << kind.kind;
    EXPECT_FALSE(allows(", kinds: [ConfigMap]", kind, "patch")) << kind.kind;
    EXPECT_TRUE(allows(", kinds: [" + kind.kind + "]", kind, "patch")) << kind.kind;
    EXPECT_TRUE(allows(", kinds: [\"*\", " + kind.qualified_name() + "]", kind, "patch"));
    EXPECT_FALSE(allows(", kinds: [" + kind.plural + ".example.com]", kind, "patch"));
  }
  EXPECT_TRUE(allows(", kinds: [\"*\"]", kMaps, "delete"));
  EXPECT_FALSE(allows(", kinds: [Secret]", kMaps, "patch"));
  EXPECT_TRUE(allows(", verbs: [patch]", kMaps, "patch"));
  EXPECT_FALSE(allows(", verbs: [patch]", kMaps, "delete"));
}

TEST(KubeSection, OpensSubresourcesByTheirName) {
  const kube::Resource deployments = resource("apps", "Deployment", "deployments", true);
  const auto allows = [&](const std::string& more, const char* part) {
    const auto config =
        read_config("kube: {writable: [{context: c, namespaces: [shop]" + more + "}]}", "w.yaml");
    EXPECT_TRUE(config) << more;
    return config && config->kube.allows_write("c", deployments, "shop", {"patch"}, part);
  };
  EXPECT_FALSE(allows("", "status"));
  EXPECT_FALSE(allows(", kinds: [\"*\", Deployment]", "status"));
  EXPECT_TRUE(allows(", kinds: [deployments.apps/status]", "status"));
  EXPECT_TRUE(allows(", kinds: [Deployment/status]", "status"));
  EXPECT_FALSE(allows(", kinds: [Deployment/status]", ""));
  EXPECT_FALSE(allows(", kinds: [Deployment/status]", "scale"));
  EXPECT_TRUE(allows(", kinds: [Deployment/scale]", "scale"));
  EXPECT_FALSE(allows(", kinds: [Deployment/scale]", ""));
  EXPECT_TRUE(allows(", kinds: [Deployment]", "scale"));
  EXPECT_TRUE(allows("", "scale"));
  EXPECT_FALSE(allows(", kinds: [ConfigMap]", "scale"));
}

TEST(KubeSection, NeedsAllNamespacesForAKindThatHasNone) {
  const auto config = read_config(
      "kube: {writable: [{context: c, namespaces: [shop], kinds: [Namespace]}]}", "w.yaml");
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->kube.allows_write("c", resource("", "Namespace", "namespaces", false), "",
                                         {"create"}));
}

TEST(KubeSection, RunsNoCommandThatItDoesNotName) {
  const auto config = read_config(R"(
kube:
  writable: [{context: c, namespaces: ["*"], kinds: ["*", pods/exec]}]
  exec:
  - {context: c, namespaces: [shop], argv: [[nginx, -t], [cat]]}
  - {context: d, namespaces: ["*"], argv: [["*"]]}
)",
                                  "w.yaml");
  ASSERT_TRUE(config) << config.error().message;
  struct Case {
    const char* context;
    const char* name_space;
    std::vector<std::string> argv;
    bool is_allowed;
  };
  const Case cases[] = {{"c", "shop", {"nginx", "-t"}, true},
                        {"c", "shop", {"nginx", "-t", "-q"}, true},
                        {"c", "shop", {"nginx"}, false},
                        {"c", "shop", {"nginx", "-tq"}, false},
                        {"c", "shop", {"cat", "/etc/hosts"}, true},
                        {"c", "shop", {"/bin/cat"}, false},
                        {"c", "shop", {"catalog"}, false},
                        {"c", "shop", {"*"}, false},
                        {"c", "shop", {}, false},
                        {"c", "cart", {"cat"}, false},
                        {"e", "shop", {"cat"}, false},
                        {"d", "any", {"sh", "-c", "x"}, true}};
  for (const auto& [context, name_space, argv, is_allowed] : cases) {
    EXPECT_EQ(config->kube.allows_exec(context, name_space, argv), is_allowed)
        << context << " " << name_space << " " << testing::PrintToString(argv);
  }
  EXPECT_FALSE(read_config("kube: {writable: [{context: c, namespaces: [\"*\"]}]}", "w.yaml")
                   ->kube.allows_exec("c", "shop", {"true"}));
}

TEST(KubeSection, RefusesWhatItDoesNotKnow) {
  const std::pair<const char*, const char*> cases[] = {
      {"kube: {writable: all}", "must be a list of {context"},
      {"kube: {writable: [{context: a}]}", "must be a list of {context"},
      {"kube: {writable: [{context: a, namespaces: []}]}", "must be a list of {context"},
      {"kube: {contexts: [b], writable: [{context: a, namespaces: [x]}]}",
       "a is not among kube.contexts"},
      {"kube: {token: canary}", "unknown key"},
      {"kube: {writable: [{context: a, namespaces: [x], verbs: [get]}]}", "verbs: [create"},
      {"kube: {writable: [{context: a, namespaces: [x], kinds: Secret}]}", "kinds: [KIND]"},
      {"kube: {writable: [{context: a, namespaces: [x], kind: [Secret]}]}", "kinds: [KIND]"},
      {"kube: {exec: all}", "must be a list of {context"},
      {"kube: {exec: [{context: a, namespaces: [x]}]}", "argv: [[PROGRAM"},
      {"kube: {exec: [{context: a, namespaces: [x], argv: [ls]}]}", "argv: [[PROGRAM"},
      {"kube: {exec: [{context: a, namespaces: [x], argv: [[]]}]}", "argv: [[PROGRAM"},
      {"kube: {exec: [{context: a, namespaces: [x], argv: []}]}", "argv: [[PROGRAM"},
      {"kube: {exec: [{context: a, namespaces: [x], argv: [[ls]], verbs: [get]}]}", "argv: [["},
      {"kube: {contexts: [b], exec: [{context: a, namespaces: [x], argv: [[ls]]}]}",
       "a is not among kube.contexts"},
      {"kube: {max_in_flight: 0}", "max_in_flight"},
      {"kube: {redact: [a]}", "must be {add"},
      {"kube: {redact: {hide: [a]}}", "must be {add"},
      {"kube: {redact: {add: []}}", "must be {add"},
      {"kube: {redact: {add: [/(/]}}", "missing )"},
      {"kube: {redact: {add: [/x*/]}}", "fits an empty text"},
      {"kube: {redact: {except: [\"*\"]}}", "fits every name"},
      {"kube: {redact: {except: [/x/]}}", "exceptions are names"},
      {"kube: {preview_validity: 25h}", "between 1s and 24h"},
      {"kube: {preview_validity: 10ms}", "between 1s and 24h"},
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
