// SPDX-License-Identifier: MIT
// What a rule allows is no more than it says, and what it denies is not passed by a wider call.
#include <gtest/gtest.h>

#include "client/approval/core/stored_rule.h"
#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

using Argv = std::vector<std::string>;

Policy with_one_rule(Json rule) {
  const auto policy = Policy::read({{"p", dump_json({{"policy", {{"rules", {rule}}}}})}});
  CHECK(policy.has_value(), policy ? "" : policy.error().message.c_str());
  return *policy;
}

Decision decision_on_argv(const Argv& rule, const Argv& argv) {
  const Policy policy =
      with_one_rule({{"tool", "tool.run"}, {"argv", rule}, {"decision", "allow"}});
  return policy.decide(program_call(argv)).decision;
}

TEST(NarrowRules, WhatAVerbIsNotAllowedToDoIsNoPartOfTheRule) {
  const std::pair<Argv, Argv> kWider[] = {
      {{"git", "apply", "--check"}, {"git", "apply", "--check", "--apply", "x.patch"}},
      {{"git", "apply", "--stat"}, {"git", "apply", "--stat", "--appl", "x.patch"}},
      {{"git", "remote", "-v"}, {"git", "remote", "-v", "remove", "origin"}},
      {{"git", "branch", "-v"}, {"git", "branch", "-v", "-D", "side"}},
      {{"git", "branch", "-v"}, {"git", "branch", "-v", "-vD", "side"}},
      {{"git", "restore", "--staged"}, {"git", "restore", "--staged", "--worktree", "."}},
      {{"git", "restore", "--staged"}, {"git", "restore", "--staged", "-W", "."}},
      {{"git", "reset", "--soft"}, {"git", "reset", "--soft", "--hard"}},
      {{"git", "push", "origin", "main"}, {"git", "push", "origin", "main", "--force"}},
      {{"git", "push", "origin", "main"}, {"git", "push", "origin", "main", "--mirror"}},
      {{"git", "push", "origin"}, {"git", "push", "origin", "+main"}},
      {{"git", "push", "origin"}, {"git", "push", "origin", ":other"}},
      {{"git", "symbolic-ref", "HEAD"}, {"git", "symbolic-ref", "HEAD", "refs/heads/evil"}},
      {{"git", "config", "user.name"}, {"git", "config", "user.name", "evil"}},
      {{"git", "reflog"}, {"git", "reflog", "expire", "--all"}},
      {{"git", "stash"}, {"git", "stash", "drop"}},
      {{"git", "add"}, {"git", "add", "--interactive"}},
      {{"git", "add"}, {"git", "add", "--patch", "f"}},
      {{"go", "env"}, {"go", "env", "-w", "GOFLAGS=-x"}},
      {{"rm", "build"}, {"rm", "build", "-rf", "src"}},
      {{"rm", "build"}, {"rm", "build", "src"}},
      {{"rm", "-rf", "build"}, {"rm", "-rf", "build", "src"}}};
  for (const auto& [rule, argv] : kWider) {
    EXPECT_EQ(decision_on_argv(rule, argv), Decision::kPrompt) << dump_json(Json(argv));
    EXPECT_EQ(decision_on_argv(rule, rule), Decision::kAllow) << dump_json(Json(rule));
  }
  EXPECT_EQ(decision_on_argv({"git", "push", "origin"}, {"git", "push", "origin", "main"}),
            Decision::kAllow);
  // A rule for the program alone is for all of it.
  for (const Argv& argv : std::vector<Argv>{{"git", "config", "user.name", "x"},
                                            {"git", "branch", "-D", "side"},
                                            {"git", "rm", "f"}}) {
    EXPECT_EQ(decision_on_argv({"git"}, argv), Decision::kAllow) << dump_json(Json(argv));
  }
  EXPECT_EQ(decision_on_argv({"rm"}, {"rm", "-f", "src/a"}), Decision::kAllow);
  // Options before the verb do not hide it.
  EXPECT_EQ(decision_on_argv({"git", "--no-pager", "push", "origin"},
                             {"git", "--no-pager", "push", "origin", "--force"}),
            Decision::kPrompt);
  EXPECT_EQ(decision_on_argv({"git", "branch", "-v"}, {"git", "branch", "-v", "--list"}),
            Decision::kAllow);
}

TEST(NarrowRules, WhatDestroysOrIsNotKnownIsHigh) {
  const Policy policy = policy_of("  - {tool: file.read, decision: allow}\n", false);
  for (const Argv& argv : std::vector<Argv>{{"git", "stash", "drop"},
                                            {"git", "rm", "-rf", "."},
                                            {"git", "update-ref", "-d", "refs/heads/main"},
                                            {"git", "branch", "-f", "main", "HEAD~5"},
                                            {"git", "tag", "-d", "v1"},
                                            {"git", "cherry-pick", "x"},
                                            {"git", "pull"},
                                            {"kubectl", "apply", "-f", "x"},
                                            {"kubectl", "scale", "--replicas=0", "deploy/x"},
                                            {"helm", "uninstall", "x"},
                                            {"docker", "rm", "x"},
                                            {"apt-get", "remove", "x"},
                                            {"truncate", "-s0", "a"},
                                            {"./evil.sh", "x"},
                                            {"./evil.sh"},
                                            {"virsh", "destroy", "x"},
                                            {"iptables", "-F"}}) {
    const Verdict verdict = policy.decide(program_call(argv));
    EXPECT_EQ(verdict.decision, Decision::kPrompt) << dump_json(Json(argv));
    EXPECT_GE(verdict.risk, Risk::kHigh) << dump_json(Json(argv));
  }
  for (const Argv& argv : std::vector<Argv>{{"make", "test"}, {"git", "status"}, {"ls", "-l"}}) {
    EXPECT_EQ(policy.decide(program_call(argv)).decision, Decision::kAllow)
        << dump_json(Json(argv));
  }
}

Decision on_call(const char* denied, const char* glob, const std::string& tool, Json args,
                 bool has_effects) {
  const auto policy = Policy::read(
      {{"p",
        dump_json({{"policy",
                    {{"rules",
                      {{{"tool", "*"}, {"decision", "allow"}},
                       {{"tool", "*"}, {"where", {{denied, glob}}}, {"decision", "deny"}}}}}}})}});
  CHECK(policy.has_value(), policy ? "" : policy.error().message.c_str());
  return policy->decide(call_of(tool, std::move(args), has_effects)).decision;
}

TEST(NarrowRules, ADeniedNamespaceIsNotReachedThroughAll) {
  const Json all = {{"kind", "pods"}, {"namespace", "dev"}, {"allNamespaces", true}};
  EXPECT_EQ(on_call("/namespace", "prod", "kube.listResources", all, false), Decision::kPrompt);
  const Json itself = {{"kind", "Namespace"}, {"name", "prod"}, {"namespace", "dev"}};
  EXPECT_EQ(on_call("/namespace", "prod", "kube.deleteResource", itself, true), Decision::kDeny);
  const Json other = {{"kind", "pods"}, {"namespace", "dev"}};
  EXPECT_EQ(on_call("/namespace", "prod", "kube.listResources", other, false), Decision::kAllow);
  const Policy dev = with_one_rule(
      {{"tool", "kube.*"}, {"where", {{"/namespace", "dev"}}}, {"decision", "allow"}});
  Json deleted = itself;
  deleted["context"] = "c";
  EXPECT_EQ(dev.decide(call_of("kube.deleteResource", deleted)).decision, Decision::kPrompt);
}

TEST(NarrowRules, WhatLooksThroughAFolderMaySeeWhatIsDeniedInIt) {
  const Json text = {{"text", "x"}};
  EXPECT_EQ(on_call("/path", "secrets/**", "file.search", text, false), Decision::kPrompt);
  EXPECT_EQ(on_call("/path", "secrets/**", "file.list", {{"path", "."}}, false), Decision::kPrompt);
  EXPECT_EQ(on_call("/path", "secrets/**", "file.list", {{"path", "src"}}, false),
            Decision::kAllow);
  EXPECT_EQ(on_call("/path", "secrets/**", "file.search", {{"path", "secrets"}}, false),
            Decision::kDeny);
  EXPECT_EQ(on_call("/files/*/path", "secrets/**", "file.read", {{"files", {"secrets/x"}}}, false),
            Decision::kDeny);
}

TEST(NarrowRules, ADeniedFolderIsDeniedHoweverItIsWritten) {
  for (const char* glob : {"secrets", "secrets/", "./secrets/**", "./secrets", "secrets/**"}) {
    EXPECT_EQ(on_call("/path", glob, "file.edit", {{"path", "secrets/x"}}, true), Decision::kDeny)
        << glob;
    EXPECT_EQ(on_call("/path", glob, "file.edit", {{"path", "secretsx"}}, true), Decision::kAllow)
        << glob;
  }
}

TEST(NarrowRules, ARuleThatWouldDenyNothingIsRefused) {
  for (const char* rule :
       {"{tool: tool.run, argv: [\"git push\"], decision: deny}",
        "{tool: tool.run, argv: [git, \"*\"], decision: deny}",
        "{tool: tool.run, argv: [git, \"pu*\"], decision: prompt}",
        "{tool: tool.run, argv: [[git, \"git*\"], push], decision: deny}",
        "{tool: tool.run, argv: [git, \"\"], decision: deny}",
        "{tool: \"file.*\", where: {/path: \"a/{b,c}/**\"}, decision: deny}",
        "{tool: \"file.*\", where: {/path: \"src/[ab].c\"}, decision: deny}",
        "{tool: \"file.*\", where: {\"/changes/*/path\": [x, \"src/[ab].c\"]}, decision: deny}"}) {
    const auto policy = Policy::read({{"p", std::string("policy: {rules: [") + rule + "]}"}});
    ASSERT_FALSE(policy) << rule;
    EXPECT_EQ(policy.error().code, ErrorCode::kInvalidArgument);
  }
  const auto exact = Policy::read(
      {{"p", "policy: {rules: [{tool: tool.run, argv: [grep, \"a b*\"], decision: allow}]}"}});
  EXPECT_TRUE(exact) << "words of a call that is allowed as they are";
}

TEST(NarrowRules, ALinkIsWhatItLeadsTo) {
  CallToDecide call = call_of("file.edit", {{"path", "pub/key"}});
  call.led_paths["pub/key"] = "/work/shop/secrets/key";
  const Policy denies = policy_of(
      "  - {tool: \"file.*\", decision: allow}\n"
      "  - {tool: \"file.*\", where: {/path: \"secrets/**\"}, decision: deny}\n");
  EXPECT_EQ(denies.decide(call).decision, Decision::kDeny);
  const Policy allows =
      policy_of("  - {tool: file.edit, where: {/path: \"pub/**\"}, decision: allow}\n");
  EXPECT_EQ(allows.decide(call).decision, Decision::kPrompt);
  call.led_paths["pub/key"] = "/work/shop/pub/real/key";
  EXPECT_EQ(allows.decide(call).decision, Decision::kAllow);
}

TEST(NarrowRules, AStoredRuleIsForTheFileOfItsDirectoryAlone) {
  CallToDecide call = call_of("file.edit", {{"path", "a.txt"}});
  const auto stored = rule_to_store(call);
  ASSERT_TRUE(stored);
  const Policy policy = with_one_rule(stored->rule);
  EXPECT_EQ(policy.decide(call).decision, Decision::kAllow);
  call.working_directory = "/work/other";
  EXPECT_EQ(policy.decide(call).decision, Decision::kPrompt);
}

}  // namespace
}  // namespace filecall::client
