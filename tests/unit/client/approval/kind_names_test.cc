// SPDX-License-Identifier: MIT
#include "client/approval/core/kind_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

TEST(KindNames, ReadsSingularPluralShortNameAndGroup) {
  for (const char* name : {"Deployment", "deployments", "deploy", "DEPLOY", "deployments.apps"}) {
    EXPECT_EQ(plain_kind(name), "deployment") << name;
  }
  EXPECT_EQ(plain_kind("priorityclasses"), "priorityclass");
  EXPECT_EQ(plain_kind("NetworkPolicies"), "networkpolicy");
  EXPECT_EQ(plain_kind("componentstatuses"), "componentstatus");
  EXPECT_EQ(plain_kind("endpoints"), "endpoints");
  EXPECT_EQ(plain_kind("proxies"), "proxy") << "a custom resource";
  EXPECT_EQ(plain_kind("widgets.example.org"), "widget");
}

TEST(KindNames, NamesAKindInAllWays) {
  EXPECT_THAT(kind_spellings("ns"), testing::UnorderedElementsAre("namespace", "namespaces", "ns"));
  EXPECT_THAT(kind_spellings("IngressClass"),
              testing::UnorderedElementsAre("ingressclass", "ingressclasses"));
}

Decision decision_of_kind(const std::string& denied, const std::string& kind) {
  const Policy policy = policy_of(
      "  - {tool: \"kube.*\", decision: allow}\n  - {tool: \"kube.*\", "
      "where: {/kind: \"" +
      denied + "\"}, decision: deny}\n");
  Json args = {{"kind", kind}, {"name", "a"}, {"namespace", "n"}, {"context", "c"}};
  return policy.decide(call_of("kube.deleteResource", std::move(args))).decision;
}

TEST(KindNames, ADeniedKindIsDeniedUnderEachOfItsNames) {
  const std::pair<const char*, const char*> kDeniedKinds[] = {{"PriorityClass", "priorityclasses"},
                                                              {"PriorityClass", "pc"},
                                                              {"IngressClass", "ingressclasses"},
                                                              {"RuntimeClass", "runtimeclasses"},
                                                              {"CertificateSigningRequest", "csr"},
                                                              {"LimitRange", "limits"},
                                                              {"ReplicationController", "rc"},
                                                              {"ComponentStatus", "cs"},
                                                              {"Certificate", "cert"},
                                                              {"Certificate", "certs"},
                                                              {"Proxy", "proxies"},
                                                              {"*class", "pc"},
                                                              {"ns", "Namespace"}};
  for (const auto& [denied, kind] : kDeniedKinds) {
    EXPECT_EQ(decision_of_kind(denied, kind), Decision::kDeny) << denied << " as " << kind;
  }
}

TEST(KindNames, AShortNameOfACustomResourceMayBeWhatIsDenied) {
  EXPECT_EQ(decision_of_kind("Widget", "wd"), Decision::kPrompt);
  EXPECT_EQ(decision_of_kind("Widget", "Deployment"), Decision::kAllow);
  EXPECT_EQ(decision_of_kind("Secret", "wd"), Decision::kAllow) << "a Secret has no such name";
  EXPECT_EQ(decision_of_kind("Secret", "ConfigMap"), Decision::kAllow);
}

}  // namespace
}  // namespace filecall::client
