// SPDX-License-Identifier: MIT
#include "client/approval/core/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  const auto policy = Policy::read({{"policy.yaml", text}});
  return policy ? "it was read" : policy.error().message;
}

Decision decision_on(const Policy& policy, const std::vector<std::string>& argv) {
  return policy.decide(program_call(argv)).decision;
}

TEST(PolicyTest, WithoutRulesCallsWithoutEffectsAreAllowedAndOthersPrompt) {
  const Policy policy;
  EXPECT_EQ(policy.decide(call_of("file.read", {{"files", {"a"}}}, false)).decision,
            Decision::kAllow);
  EXPECT_EQ(policy.decide(call_of("file.edit", {{"path", "a"}})).decision, Decision::kPrompt);
  EXPECT_EQ(decision_on(policy, {"ls"}), Decision::kPrompt);
}

TEST(PolicyTest, TheStrictestRuleWinsWhereverItStands) {
  const Policy policy = policy_of(
      "  - {tool: tool.run, argv: [git], decision: prompt}\n"
      "  - {tool: tool.run, argv: [git, push], decision: deny, reason: no pushes}\n"
      "  - {tool: tool.run, argv: [git, status], decision: allow}\n"
      "  - {tool: tool.run, argv: [ls], decision: allow}\n");
  EXPECT_EQ(decision_on(policy, {"git", "status"}), Decision::kPrompt);
  EXPECT_EQ(decision_on(policy, {"ls", "-l"}), Decision::kAllow);
  const Verdict verdict = policy.decide(program_call({"git", "push", "origin"}));
  EXPECT_EQ(verdict.decision, Decision::kDeny);
  EXPECT_EQ(verdict.deny_reason, "no pushes");
  EXPECT_EQ(verdict.file, "policy.yaml");
  EXPECT_EQ(verdict.line, 5);
  EXPECT_EQ(verdict.matched.size(), 2U);
}

TEST(PolicyTest, OfSeveralTextsTheStrictestWins) {
  const auto policy =
      Policy::read({{"user.yaml",
                     "policy:\n  human_in_the_loop: false\n  rules:\n"
                     "  - {tool: kube.scale, decision: allow}\n"},
                    {"scenario.yaml",
                     "name: x\npolicy:\n  human_in_the_loop: true\n  rules:\n"
                     "  - {tool: 'kube.*', where: {/context: prod}, decision: deny}\n",
                     PolicyText::Kind::kScenario}});
  ASSERT_TRUE(policy.has_value()) << policy.error().message;
  EXPECT_TRUE(policy->human_in_the_loop());
  EXPECT_EQ(policy->decide(call_of("kube.scale", {{"context", "test"}})).decision,
            Decision::kAllow);
  EXPECT_EQ(policy->decide(call_of("kube.scale", {{"context", "prod"}})).decision, Decision::kDeny);
  // The kubeconfig's own context may be prod.
  EXPECT_EQ(policy->decide(call_of("kube.scale", {{"name", "web"}})).decision, Decision::kPrompt);
}

TEST(PolicyTest, WithoutAHumanOnlyLowAndMediumRiskIsAllowed) {
  const Policy policy = policy_of("  - {tool: file.create, decision: prompt}\n", false);
  EXPECT_EQ(policy.decide(call_of("file.edit", {{"path", "src/a.cc"}})).decision, Decision::kAllow);
  EXPECT_EQ(policy.decide(call_of("file.delete", {{"path", "src/a.cc"}})).decision,
            Decision::kPrompt);
  EXPECT_EQ(policy.decide(call_of("file.edit", {{"path", ".git/config"}})).decision,
            Decision::kPrompt);
  EXPECT_EQ(policy.decide(call_of("file.create", {{"path", "src/a.cc"}})).decision,
            Decision::kPrompt);
  EXPECT_EQ(decision_on(policy, {"make", "test"}), Decision::kAllow);
  EXPECT_EQ(decision_on(policy, {"sh", "-c", "make test"}), Decision::kPrompt);
}

TEST(PolicyTest, ARuleOnArgvAllowsNothingThatComesAlong) {
  const std::string rule = "  - {tool: tool.run, argv: [make, test], decision: allow}\n";
  const Policy policy = policy_of(rule);
  CallToDecide call = program_call({"make", "test"});
  EXPECT_EQ(policy.decide(call).decision, Decision::kAllow);
  call.args["cwd"] = "/work/shop/.";
  EXPECT_EQ(policy.decide(call).decision, Decision::kAllow);
  call.args["cwd"] = "/work/other";
  EXPECT_EQ(policy.decide(call).decision, Decision::kPrompt);
  call.args.erase("cwd");
  for (const char* member : {"env", "stdin", "stdin_base64"}) {
    CallToDecide more = call;
    more.args[member] = "x";
    EXPECT_EQ(policy.decide(more).decision, Decision::kPrompt) << member;
  }
  const Policy naming = policy_of(
      "  - {tool: tool.run, argv: [make, test], where: {/cwd: [/work/other], /stdin: '*'}, "
      "decision: allow}\n");
  call.args["cwd"] = "/work/other";
  call.args["stdin"] = "yes\n";
  EXPECT_EQ(naming.decide(call).decision, Decision::kAllow);
}

TEST(PolicyTest, ARuleThatDeniesMatchesWhateverComesAlong) {
  const Policy policy = policy_of("  - {tool: tool.run, argv: [git, push], decision: deny}\n");
  CallToDecide call = program_call({"git", "push"});
  call.args["env"] = {{"A", "b"}};
  call.args["cwd"] = "/elsewhere";
  EXPECT_EQ(policy.decide(call).decision, Decision::kDeny);
}

TEST(PolicyTest, AProgramThatIsNotKeptFromTheRootAlwaysPromptsAtCriticalRisk) {
  const Policy policy = policy_of("  - {tool: tool.run, argv: [ls], decision: allow}\n", false);
  CallToDecide call = program_call({"ls"});
  call.sandbox = {};
  const Verdict verdict = policy.decide(call);
  EXPECT_EQ(verdict.decision, Decision::kPrompt);
  EXPECT_EQ(verdict.risk, Risk::kCritical);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("could forge decisions")));
}

TEST(PolicyTest, ASandboxOfWhichNothingIsKnownCountsAsNone) {
  CallToDecide call = program_call({"ls"});
  call.sandbox = {"unknown", false, true};
  const Verdict verdict = policy_of("").decide(call);
  EXPECT_EQ(verdict.risk, Risk::kCritical);
  EXPECT_THAT(verdict.reasons, Contains(HasSubstr("says nothing of its sandbox")));
}

TEST(PolicyTest, WhatDependsOnAnObjectRaisesTheRiskOfItsDeletion) {
  CallToDecide call = call_of("kube.deleteResource", {{"kind", "ConfigMap"}, {"name", "c"}});
  EXPECT_EQ(policy_of("").decide(call).risk, Risk::kHigh);
  call.impact = Json{{"severity", "critical"}, {"complete", true}};
  EXPECT_EQ(policy_of("").decide(call).risk, Risk::kCritical);
  call.impact = Json{{"severity", "none"}, {"complete", false}};
  EXPECT_THAT(policy_of("").decide(call).reasons, Contains(HasSubstr("not known to the end")));
  call.impact.reset();
  call.impact_error = "no such object";
  EXPECT_THAT(policy_of("").decide(call).reasons, Contains(HasSubstr("no such object")));
}

TEST(PolicyTest, APathOutsideTheWorkingDirectoryIsHighForProgramsToo) {
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"cat", "/opt/x"},
                                             {"cat", "a", "../x"},
                                             {"cat", "src/../../x"},
                                             {"cat", "~/x"},
                                             {"grep", "-f/opt/x", "y"},
                                             {"grep", "--file=/opt/x", "y"},
                                             {"gcc", "-I/opt/x", "a.c"},
                                             {"git", "show", "HEAD:/opt/x"},
                                             {"cat", "/work/shopping/x"},
                                             {"timeout", "5", "cat", "/opt/x"}}) {
    const Verdict verdict = Policy().decide(program_call(argv));
    EXPECT_EQ(verdict.risk, Risk::kHigh) << Json(argv);
    EXPECT_THAT(verdict.reasons, Contains(HasSubstr("lies outside /work/shop"))) << Json(argv);
  }
  for (const std::vector<std::string>& argv :
       std::vector<std::vector<std::string>>{{"cat", "x"},
                                             {"cat", "/work/shop/x"},
                                             {"cat", "src/../x"},
                                             {"/usr/bin/cat", "x"},
                                             {"grep", "x", "/dev/null"},
                                             {"sed", "-n", "/x/p", "f"}}) {
    EXPECT_EQ(Policy().decide(program_call(argv)).risk, Risk::kMedium) << Json(argv);
  }
  CallToDecide call = program_call({"cat", "../x"});
  call.args["cwd"] = "src";
  EXPECT_EQ(Policy().decide(call).risk, Risk::kMedium);
  call.args["cwd"] = "/opt";
  EXPECT_THAT(Policy().decide(call).reasons, Contains(HasSubstr("it works in /opt")));
  call = program_call({"cat", "/build/x"});
  call.tool_directory = "/build";
  EXPECT_EQ(Policy().decide(call).risk, Risk::kMedium);
  call.tool_directory = call.working_directory = "";
  EXPECT_EQ(Policy().decide(call).risk, Risk::kHigh);
}

TEST(PolicyTest, AnOptionThatARuleNamesIsNotTakenBackBehindIt) {
  const Policy policy = policy_of(
      "  - {tool: tool.run, argv: [kubectl, apply, --dry-run=client], decision: allow}\n"
      "  - {tool: tool.run, argv: [git, fetch, --dry-run], decision: allow}\n");
  EXPECT_EQ(decision_on(policy, {"kubectl", "apply", "--dry-run=client", "-f", "x"}),
            Decision::kAllow);
  EXPECT_EQ(decision_on(policy, {"git", "fetch", "--dry-run", "origin"}), Decision::kAllow);
  for (const std::vector<std::string>& argv : std::vector<std::vector<std::string>>{
           {"kubectl", "apply", "--dry-run=client", "--dry-run=none", "-f", "x"},
           {"git", "fetch", "--dry-run", "--no-dry-run"},
           {"git", "fetch", "--dry-run", "--no-dry"}}) {
    EXPECT_EQ(decision_on(policy, argv), Decision::kPrompt) << Json(argv);
  }
}

TEST(PolicyTest, AProposalThatARunAppliesIsRatedAsItsChanges) {
  const Json one = {{"changes", {{{"path", "a"}, {"operation", "delete"}}}}};
  EXPECT_EQ(Policy().decide(call_of("file.propose", one, false)).risk, Risk::kLow);
  const Verdict applied = Policy().decide(call_of("file.propose", one));
  EXPECT_EQ(applied.decision, Decision::kPrompt);
  EXPECT_EQ(applied.risk, Risk::kHigh);
  EXPECT_THAT(applied.reasons, Contains(HasSubstr("as soon as it is allowed")));
}

TEST(PolicyTest, AnImpactThatIsNotKnownIsHighWhateverTheCall) {
  CallToDecide call = call_of("kube.scale", {{"kind", "Deployment"}, {"replicas", 0}});
  EXPECT_EQ(policy_of("").decide(call).risk, Risk::kMedium);
  call.impact_error = "down";
  EXPECT_EQ(policy_of("").decide(call).risk, Risk::kHigh);
}

TEST(PolicyTest, ARuleTestsItselfWhenItIsLoaded) {
  EXPECT_THAT(refusal("policy:\n  rules:\n  - tool: tool.run\n    argv: [git, status]\n"
                      "    decision: allow\n    match: [[git, push]]\n"),
              HasSubstr("policy.yaml:6:12: policy.rules"));
  EXPECT_THAT(refusal("policy:\n  rules:\n  - tool: tool.run\n    argv: [git]\n"
                      "    decision: deny\n    not_match: [[git, push]]\n"),
              HasSubstr("policy.yaml:6:16"));
  EXPECT_EQ(
      refusal("policy:\n  rules:\n  - {tool: tool.run, argv: [git, [status, diff]], decision: "
              "allow, match: [[git, status, -s], [git, diff]], not_match: [[git, push], "
              "[git, -C, /x, status], [sh, -c, git status]]}\n"),
      "it was read");
}

TEST(PolicyTest, WhatIsWrittenWronglyIsNamedWithItsPlace) {
  EXPECT_THAT(refusal("policy:\n  rules:\n  - {tool: tool.run, decision: maybe}\n"),
              HasSubstr("policy.yaml:3:32"));
  EXPECT_THAT(refusal("policy:\n  rules:\n  - {decision: allow}\n"), HasSubstr("needs the name"));
  EXPECT_THAT(refusal("policy:\n  rules:\n  - {tool: x, decision: allow, when: {}}\n"),
              HasSubstr("when"));
  EXPECT_THAT(refusal("policy:\n  rules:\n  - {tool: x, where: {context: a}, decision: deny}\n"),
              HasSubstr("no JSON pointer"));
  EXPECT_THAT(refusal("policies: {}\n"), HasSubstr("policies"));
  EXPECT_THAT(refusal("policy: [\n"), HasSubstr("policy.yaml:"));
}

TEST(PolicyTest, AProgramThatRunsWhateverItIsGivenIsNoRuleThatAllows) {
  for (const char* argv : {"[sh, -c]", "[bash]", "[python3]", "[env]", "[sudo]", "[timeout, 5]",
                           "[sudo, -n, bash]", "[nice, perl]", "[ssh, host]", "[node]"}) {
    EXPECT_THAT(refusal(std::string("policy:\n  rules:\n  - {tool: tool.run, argv: ") + argv +
                        ", decision: allow}\n"),
                HasSubstr("runs whatever it is given"))
        << argv;
  }
}

TEST(PolicyTest, ARuleThatNamesNoArgvAllowsOnlyWhatIsUnderstood) {
  for (const char* rule :
       {"  - {tool: tool.run, decision: allow}\n", "  - {tool: '*', decision: allow}\n",
        "  - {tool: tool.run, where: {'/*/0': '*'}, decision: allow}\n"}) {
    const Policy policy = policy_of(rule);
    EXPECT_EQ(decision_on(policy, {"ls", "-l"}), Decision::kAllow);
    for (const std::vector<std::string>& argv :
         std::vector<std::vector<std::string>>{{"bash", "x"},
                                               {"python3", "x.py"},
                                               {"sudo", "ls"},
                                               {"env", "A=b", "ls"},
                                               {"uv", "run", "x"},
                                               {"npm", "exec", "x"},
                                               {}}) {
      EXPECT_EQ(decision_on(policy, argv), Decision::kPrompt) << rule << Json(argv);
    }
    for (const char* member : {"env", "stdin", "stdin_base64"}) {
      CallToDecide more = program_call({"ls"});
      more.args[member] = "x";
      EXPECT_EQ(policy.decide(more).decision, Decision::kPrompt) << member;
    }
    CallToDecide remote = call_of("kube.exec", {{"name", "web"}, {"argv", {"sh", "-c", "ls"}}});
    EXPECT_EQ(policy.decide(remote).decision, Decision::kPrompt);
  }
  EXPECT_THAT(
      refusal("policy:\n  rules:\n  - {tool: tool.run, decision: allow, match: [[bash]]}\n"),
      HasSubstr("does not match"));
  const Policy named = policy_of("  - {tool: tool.run, where: {/tool: check}, decision: allow}\n");
  EXPECT_EQ(named.decide(call_of("tool.run", {{"tool", "check"}})).decision, Decision::kPrompt);
  CallToDecide declared = program_call({});
  declared.args = {{"tool", "check"}, {"args", {{"level", 1}}}};
  EXPECT_EQ(named.decide(declared).decision, Decision::kAllow);
}

TEST(PolicyTest, AConditionOnTheArgvIsNoRuleThatAllows) {
  EXPECT_THAT(refusal("policy:\n  rules:\n  - {tool: tool.run, where: {/argv/0: bash}, decision: "
                      "allow}\n"),
              HasSubstr("write argv: [PROGRAM, WORD]"));
  EXPECT_EQ(refusal("policy:\n  rules:\n  - {tool: tool.run, where: {/argv/0: bash}, decision: "
                    "deny}\n"),
            "it was read");
}

TEST(PolicyTest, AnExpiredRuleAllowsNothing) {
  const Policy policy =
      policy_of("  - {tool: file.edit, decision: allow, expires: '2026-01-01T00:00:00Z'}\n");
  CallToDecide call = call_of("file.edit", {{"path", "a"}});
  call.now = *parse_rfc3339("2025-12-31T00:00:00Z");
  EXPECT_EQ(policy.decide(call).decision, Decision::kAllow);
  call.now = *parse_rfc3339("2026-01-01T00:00:00Z");
  EXPECT_EQ(policy.decide(call).decision, Decision::kPrompt);
}

TEST(PolicyTest, ToolsThatAreAlwaysDeniedCanBeHidden) {
  const Policy policy = policy_of(
      "  - {tool: 'llm.*', decision: deny}\n"
      "  - {tool: 'kube.*', where: {/context: prod}, decision: deny}\n");
  EXPECT_THAT(policy.denied_tools(), ElementsAre("llm.*"));
  EXPECT_TRUE(policy.denies_tool("llm.chat"));
  EXPECT_FALSE(policy.denies_tool("kube.scale"));
}

TEST(PolicyTest, TheDigestIsOfWhatDecides) {
  const Policy policy = policy_of("  - {tool: file.edit, decision: allow}\n");
  EXPECT_EQ(policy.digest(), policy_of("\n  - tool: file.edit\n    decision: allow\n").digest());
  EXPECT_NE(policy.digest(), policy_of("  - {tool: file.edit, decision: deny}\n").digest());
  const auto more = policy.with(
      {"stored", "rules:\n- {tool: file.create, decision: allow}\n", PolicyText::Kind::kStored});
  ASSERT_TRUE(more.has_value()) << more.error().message;
  EXPECT_EQ(more->digest(), policy.digest());
  EXPECT_EQ(more->decide(call_of("file.create", {{"path", "a"}})).decision, Decision::kAllow);
  EXPECT_FALSE(
      policy.with({"stored", "rules:\n- {tool: x, decision: deny}\n", PolicyText::Kind::kStored}));
}

TEST(PolicyTest, AllElementsMustFitWhatIsAllowedAndOneWhatIsDenied) {
  const Policy allowing =
      policy_of("  - {tool: file.apply, where: {'/changes/*/path': 'src/**'}, decision: allow}\n");
  const auto changes = [](const char* a, const char* b) {
    return call_of("file.apply", {{"changes", {{{"path", a}}, {{"path", b}}}}});
  };
  EXPECT_EQ(allowing.decide(changes("src/a/b.cc", "src/c.cc")).decision, Decision::kAllow);
  EXPECT_EQ(allowing.decide(changes("src/a.cc", "docs/c.md")).decision, Decision::kPrompt);
  EXPECT_EQ(allowing.decide(changes("src/a.cc", "src/../docs/c.md")).decision, Decision::kPrompt);
  const Policy denying =
      policy_of("  - {tool: 'file.*', where: {'/changes/*/path': 'secret/**'}, decision: deny}\n");
  EXPECT_EQ(denying.decide(changes("a", "./x/../secret/key")).decision, Decision::kDeny);
}

TEST(PolicyTest, ATextThatIsNotUtf8IsRefusedWithItsLine) {
  const auto policy = Policy::read({{"p.yaml", "policy:\n  rules:\n  - {tool: \xff}\n"}});
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().message, "p.yaml:3: is not UTF-8");
}

}  // namespace
}  // namespace filecall::client
