// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <chrono>

#include "client/approval/core/bundle.h"
#include "client/approval/core/shown_approval.h"
#include "client/approval/core/stored_rule.h"
#include "tests/unit/client/approval/decided_calls.h"

// Ways around this program's own rules that somebody has found who looked for them: each was
// allowed once.
namespace filecall::client {
namespace {

using Argv = std::vector<std::string>;

struct Attack {
  Argv rule;
  Argv argv;
};

Policy with_rule(const Argv& argv, const char* decision, bool allows_all) {
  Json rules = Json::array();
  if (allows_all) rules.push_back({{"tool", "tool.run"}, {"decision", "allow"}});
  rules.push_back({{"tool", "tool.run"}, {"argv", argv}, {"decision", decision}});
  const auto policy = Policy::read({{"p", dump_json({{"policy", {{"rules", rules}}}})}});
  CHECK(policy.has_value(), policy ? "" : policy.error().message.c_str());
  return *policy;
}

TEST(AttackCorpusTest, NoDenyIsPassedByAnotherSpelling) {
  const std::vector<Attack> attacks = {
      {{"git", "push"}, {"sed", "-l", "1p", "1e git push", "f"}},
      {{"git", "push"}, {"sed", ":a 1e git push", "f"}},
      {{"git", "push"}, {"ip", "netns", "e", "ns1", "git", "push"}},
      {{"git", "push"}, {"hg", "bisect", "-c", "git push"}},
      {{"kubectl", "get", "--all-namespaces"}, {"kubectl", "get", "--all_namespaces", "po"}},
      {{"kubectl", "get", "secret"}, {"kubectl", "get", "-o", "yaml", "-n", "x", "secrets"}},
      {{"kubectl", "get", "secret"}, {"kubectl", "get", "-o", "yaml", "secret/db"}},
      {{"kubectl", "delete", "namespace"},
       {"kubectl", "delete", "--grace-period", "5", "--timeout", "5s", "ns", "prod"}},
      {{"kubectl", "delete", "namespace"}, {"kubectl", "delete", "pod/a", "-n", "x", "ns/prod"}},
      {{"kubectl", "-n", "prod"}, {"kubectl", "get", "-An", "prod", "po"}},
      {{"kubectl", "-n", "prod"}, {"kubectl", "get", "-wnprod", "po"}},
      {{"make", "deploy"}, {"make", "./deploy"}},
      {{"make", "deploy"}, {"make", "././deploy"}},
      {{"ninja", "deploy"}, {"ninja", "x/../deploy"}},
      {{"terraform", "destroy"}, {"terraform", "apply", "-destroy"}},
      {{"terraform", "destroy"}, {"terraform", "apply", "-auto-approve", "--destroy=true"}},
      {{"git", "branch", "-D"}, {"git", "branch", "--del", "--forc", "x"}},
      {{"kill", "-9"}, {"kill", "-sKILL", "1"}},
      {{"kill", "-9"}, {"kill", "-s", "9", "1"}},
      {{"kill", "-9"}, {"kill", "--signal=kill", "1"}},
      {{"kill", "-9"}, {"kill", "-sigkill", "1"}},
      {{"pkill", "-9"}, {"pkill", "-n", "09", "x"}},
      {{"chmod", "777"}, {"chmod", "0777", "x"}},
      {{"chmod", "777"}, {"chmod", "a+rwx", "x"}},
      {{"chmod", "777"}, {"chmod", "-R", "ugo=rwx", "x"}}};
  for (const Attack& attack : attacks) {
    EXPECT_NE(with_rule(attack.rule, "deny", true).decide(program_call(attack.argv)).decision,
              Decision::kAllow)
        << Json(attack.argv);
  }
}

TEST(AttackCorpusTest, AWideRuleAllowsNoOptionThatRunsOrWrites) {
  const std::vector<Argv> attacks = {{"gcc", "-fmodules-ts", "-fmodule-mapper=|m.sh", "x.cc"},
                                     {"gcc", "--prefix=evil/", "-c", "x.c"},
                                     {"gcc", "-time=F", "x.c"},
                                     {"gcc", "-fopt-info-all=F", "x.c"},
                                     {"clang", "-MJ", "out", "x.c"},
                                     {"as", "-al=F", "x.s"},
                                     {"ld", "--reproduce=x", "a.o"},
                                     {"zip", "-qT", "-rTT", "touch P4;:", "o.zip", "f"},
                                     {"cmake", "--build", "b", "--", "-f", "evil.mk"},
                                     {"ip", "netns", "exe", "ns1", "id"},
                                     {"hg", "bisect", "-c", "id"},
                                     {"mypy", "--linecoverage-report", "D", "x"},
                                     {"mypy", "--timing-stats", "F", "x"},
                                     {"zstd", "--trace", "F", "x"},
                                     {"uniq", "f", "77"},
                                     {"xxd", "a", "42"},
                                     {"openssl", "s_client", "-keylogfile", "F"},
                                     {"ssh-keygen", "-O", "write-attestation=F", "-t", "x"},
                                     {"journalctl", "--cursor-file=F"},
                                     {"terraform", "plan", "-generate-config-out=F"},
                                     {"cargo", "clippy", "--fix"},
                                     {"cargo", "clippy", "--", "--emit=link=F"},
                                     {"go", "build", "-debug-trace=F"},
                                     {"kubectl", "get", "po", "--cache_dir=c"},
                                     {"kubectl", "get", "po", "--client_key=c"},
                                     {"sed", "-n", ":a 1w out", "f"},
                                     {"sed", "--new-option", "p", "f"}};
  for (const Argv& argv : attacks) {
    const Argv verb(argv.begin(), argv.begin() + (argv[1].starts_with("-") ? 1 : 2));
    EXPECT_EQ(with_rule({argv[0]}, "allow", true).decide(program_call(argv)).decision,
              Decision::kPrompt)
        << Json(argv);
    if (argv[0] == "uniq" || argv[0] == "xxd") continue;
    EXPECT_EQ(with_rule(verb, "allow", false).decide(program_call(argv)).decision,
              Decision::kPrompt)
        << Json(argv);
  }
}

TEST(AttackCorpusTest, AWideRuleIsForProgramsThatAreKnownAlsoWithoutArguments) {
  const Policy policy = policy_of("  - {tool: tool.run, decision: allow}\n");
  for (const Argv& argv : std::vector<Argv>{{"./deploy"},
                                            {"deploy"},
                                            {"deploy", "prod"},
                                            {"tox"},
                                            {"/tmp/evil"},
                                            {"./git", "status"},
                                            {"/tmp/x/make", "test"},
                                            {"/usr/bin/../../tmp/git", "status"},
                                            {"nice", "./git", "status"},
                                            {"../cat", "x"}}) {
    EXPECT_EQ(policy.decide(program_call(argv)).decision, Decision::kPrompt)
        << dump_json(Json(argv));
  }
  for (const Argv& argv : std::vector<Argv>{{"git", "status"},
                                            {"/usr/bin/git", "status"},
                                            {"make", "test"},
                                            {"timeout", "5", "cat", "x"}}) {
    EXPECT_EQ(policy.decide(program_call(argv)).decision, Decision::kAllow)
        << dump_json(Json(argv));
  }
  const Policy exact = policy_of("  - {tool: tool.run, argv: [./deploy], decision: allow}\n");
  EXPECT_EQ(exact.decide(program_call({"./deploy"})).decision, Decision::kAllow);
}

TEST(AttackCorpusTest, AnAllowedOptionIsNotTakenBack) {
  const std::vector<Attack> attacks = {
      {{"git", "clean", "-n"}, {"git", "clean", "-n", "--no-dry-run", "-fdx"}},
      {{"git", "push", "-n"}, {"git", "push", "-n", "--no-dry-run", "o"}},
      {{"go", "generate", "-n"}, {"go", "generate", "-n", "-n=false"}},
      {{"terraform", "fmt", "-check"}, {"terraform", "fmt", "-check", "-check=false"}},
      {{"terraform", "fmt", "-check"}, {"terraform", "fmt", "-check", "--check=false"}},
      {{"npm", "publish", "--dry-run"}, {"npm", "publish", "--dry-run", "false"}},
      {{"tsc", "--noEmit"}, {"tsc", "--noEmit", "false"}},
      {{"apt-get", "-s"}, {"apt-get", "-s", "install", "x", "--no-simulate"}},
      {{"kubectl", "apply", "--dry-run=server"},
       {"kubectl", "apply", "--dry-run=server", "-f", "x", "--dry_run=none"}}};
  for (const Attack& attack : attacks) {
    EXPECT_EQ(with_rule(attack.rule, "allow", false).decide(program_call(attack.argv)).decision,
              Decision::kPrompt)
        << Json(attack.argv);
  }
  const Policy policy = with_rule({"git", "clean", "-n"}, "allow", false);
  EXPECT_EQ(policy.decide(program_call({"git", "clean", "-n", "-d", "src"})).decision,
            Decision::kAllow);
}

TEST(AttackCorpusTest, WhatIsStoredForAVerbAllowsNoMoreThanTheVerb) {
  const std::vector<Attack> attacks = {
      {{"go", "build", "./..."}, {"go", "build", "-debug-actiongraph=F"}},
      {{"cargo", "clippy"}, {"cargo", "clippy", "--", "-o", "/tmp/x"}},
      {{"make", "test"}, {"make", "test", "2"}},
      {{"npm", "test"}, {"npm", "test", "--workspace", "/tmp"}},
      {{"git", "cat-file", "-p", "x"}, {"git", "cat-file", "--filters", "x"}}};
  for (const Attack& attack : attacks) {
    const auto stored = rule_to_store(program_call(attack.rule));
    if (!stored) continue;
    const auto policy = Policy::read(
        {{"s", stored_rules_text({stored->rule}, "/work/shop"), PolicyText::Kind::kStored}});
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    EXPECT_EQ(policy->decide(program_call(attack.rule)).decision, Decision::kAllow)
        << Json(attack.rule);
    EXPECT_EQ(policy->decide(program_call(attack.argv)).decision, Decision::kPrompt)
        << Json(attack.argv);
  }
}

TEST(AttackCorpusTest, ManyAliasesOfGitAreBoundedAndDenied) {
  Argv argv = {"git"};
  for (int i = 0; i < 2000; ++i) argv.insert(argv.end(), {"-c", "alias.x=push y"});
  argv.emplace_back("x");
  const Policy policy = with_rule({"git", "push", "--force"}, "deny", true);
  EXPECT_EQ(policy.decide(program_call(argv)).decision, Decision::kDeny);
  // Words that are many take no deny away.
  Argv padded = {"git", "-c", "alias.x=send-pack", "x"};
  for (int i = 0; i < 3000; ++i) padded.emplace_back("ref");
  EXPECT_EQ(with_rule({"git", "push"}, "deny", true).decide(program_call(padded)).decision,
            Decision::kDeny);
}

TEST(AttackCorpusTest, TwoArgumentsThatDifferLookDifferent) {
  const auto shown = [](const char* word) {
    Bundle bundle;
    bundle.id = "run-a.1";
    const CallToDecide call = program_call({"sh", "-c", word});
    bundle.calls.push_back({1, call, Policy().decide(call)});
    return bundle_request(bundle)["calls"][0]["previewText"].get<std::string>();
  };
  EXPECT_NE(shown("echo ok # \\nrm -rf src"), shown("echo ok # \nrm -rf src"));
  EXPECT_NE(shown("a\\u200bb"), shown("a\xe2\x80\x8b"
                                      "b"));
  EXPECT_NE(shown("a b"), shown("a\xc2\xa0"
                                "b"));
  EXPECT_TRUE(shown("a\n'b\\").starts_with("$ sh -c $'a\\n\\'b\\\\'\n")) << shown("a\n'b\\");
}

TEST(AttackCorpusTest, ARuleOnPlacesIsForTheirFoldersAndForEveryForm) {
  const Policy policy = policy_of(R"(
  - {tool: '*', decision: allow}
  - {tool: file.read, where: {'/files/*': secrets/**}, decision: deny}
  - {tool: git.commit, where: {'/paths/*': secrets/**}, decision: deny}
)");
  const auto read = [&](Json files) {
    return policy.decide(call_of("file.read", {{"files", std::move(files)}}, false)).decision;
  };
  EXPECT_EQ(read({"secrets/x"}), Decision::kDeny);
  EXPECT_EQ(read({{{"path", "secrets/x"}}}), Decision::kDeny);
  EXPECT_EQ(read({{{"path", "./secrets/../secrets/x"}, {"lines", "1-2"}}}), Decision::kDeny);
  EXPECT_EQ(read({"src/x"}), Decision::kAllow);
  const auto commit = [&](Json args) {
    return policy.decide(call_of("git.commit", std::move(args))).decision;
  };
  EXPECT_EQ(commit({{"paths", {"secrets/x"}}}), Decision::kDeny);
  EXPECT_EQ(commit({{"paths", {"."}}}), Decision::kPrompt);
  EXPECT_EQ(commit({{"paths", {"/work/shop"}}}), Decision::kPrompt);
  EXPECT_EQ(commit({{"message", "all"}}), Decision::kPrompt);
  EXPECT_EQ(commit({{"paths", {"src"}}}), Decision::kAllow);
}

TEST(AttackCorpusTest, SettingsOfThisProgramAreNeverChangedWithoutAPerson) {
  const Policy policy = policy_of("  - {tool: '*', decision: allow}\n", false);
  for (const char* path : {"filecall/policy.yaml", ".config/filecall/policy.d/x.yaml",
                           "filecall/scenarios/explore.yaml", "x/../filecall/policy.yaml"}) {
    const Verdict verdict =
        policy.decide(call_of("file.create", {{"path", path}, {"content", "x"}}));
    EXPECT_EQ(verdict.decision, Decision::kPrompt) << path;
    EXPECT_EQ(verdict.risk, Risk::kCritical) << path;
  }
  EXPECT_EQ(policy.decide(call_of("file.create", {{"path", "src/a"}, {"content", "x"}})).decision,
            Decision::kAllow);
}

TEST(AttackCorpusTest, RequestsOfOthersAreNotEndedWithoutAPerson) {
  for (const char* tool : {"system.cancel", "system.discard"}) {
    const Verdict verdict = Policy().decide(call_of(tool, {{"request_id", "victim"}}));
    EXPECT_EQ(verdict.decision, Decision::kPrompt) << tool;
    EXPECT_EQ(verdict.risk, Risk::kHigh) << tool;
  }
}

TEST(AttackCorpusTest, ValuesOfASecretAreHiddenWhereverTheyStand) {
  Json record = Json::parse(R"({
    "request": {"calls": [{"toolId": "kube.createResource", "arguments": {
      "kind": "Secret", "values": {"stringData": {"p": "HUNTER2"},
      "spec": {"data": {"a": "HUNTER2"}},
      "items": [{"data": {"b": "HUNTER2"}}], "metadata": {"annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"p\":\"HUNTER2\"}}"}}}}}]},
    "decided": [{"n": 1, "approved": true, "args": {"kind": "secrets", "data": "HUNTER2"}}],
    "calls": [{"tool": "kube.patchResource", "args": {"kind": "secret/x", "patch": "HUNTER2"}}]})");
  hide_secrets(record, {});
  EXPECT_EQ(dump_json(record).find("HUNTER2"), std::string::npos) << dump_json(record, 1);
  Json other = {{"tool", "file.create"}, {"args", {{"kind", "Secret"}, {"data", "x"}}}};
  hide_secrets(other, {});
  EXPECT_EQ(other["args"]["data"], "x");
}

}  // namespace
}  // namespace filecall::client
