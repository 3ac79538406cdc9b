// SPDX-License-Identifier: MIT
#include "client/approval/core/stored_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

using Argv = std::vector<std::string>;
using ::testing::HasSubstr;

Policy with_stored(const std::vector<Json>& rules) {
  const auto policy =
      Policy().with({"stored", stored_rules_text(rules, ""), PolicyText::Kind::kStored});
  CHECK(policy.has_value(), policy ? "" : policy.error().message.c_str());
  return *policy;
}

Decision decided(const Policy& policy, const Argv& argv) {
  return policy.decide(program_call(argv)).decision;
}

TEST(StoredRuleTest, NoRuleIsOfferedForWhatRunsOrDeletesOrIsNotUnderstood) {
  for (const Argv& argv : std::vector<Argv>{{"kubectl", "exec", "p", "ls"},
                                            {"kubectl", "-n", "a", "exec", "p", "ls"},
                                            {"kubectl", "run", "x", "--image=y"},
                                            {"kubectl", "delete", "pod", "x"},
                                            {"kubectl", "cp", "a", "b"},
                                            {"npm", "exec", "x"},
                                            {"npm", "exe", "x"},
                                            {"npm", "x", "y"},
                                            {"npx", "x"},
                                            {"yarn", "dlx", "x"},
                                            {"docker", "exec", "c", "ls"},
                                            {"docker", "container", "exec", "c", "ls"},
                                            {"docker", "compose", "run", "x"},
                                            {"docker", "rm", "x"},
                                            {"docker", "image", "rm", "x"},
                                            {"git", "submodule", "foreach", "ls"},
                                            {"git", "submodule", "status"},
                                            {"git", "bisect", "run", "ls"},
                                            {"git", "push", "-f"},
                                            {"git", "clean", "-n"},
                                            {"git", "reset", "--hard"},
                                            {"git", "some-alias"},
                                            {"rm", "-rf", "x"},
                                            {"rm", "x"},
                                            {"find", ".", "-delete"},
                                            {"kill", "1"},
                                            {"truncate", "-s0", "x"},
                                            {"helm", "del", "x"},
                                            {"pip3", "uninstall", "x"},
                                            {"sort", "-o", "x", "y"}}) {
    EXPECT_FALSE(rule_to_store(program_call(argv)).has_value()) << Json(argv);
  }
}

TEST(StoredRuleTest, ARuleSaysTheVerbOnlyWhereItSaysAllAndElseTheWholeArgv) {
  struct StoredRow {
    Argv argv;
    Argv stored;
    bool is_exact;
  };
  for (const StoredRow& row : std::vector<StoredRow>{
           {{"git", "status", "-s"}, {"git", "status"}, false},
           {{"npm", "run", "test", "--", "x"}, {"npm", "run", "test"}, false},
           {{"make", "test", "-j2"}, {"make", "test"}, false},
           {{"cargo", "test"}, {"cargo", "test"}, false},
           {{"make", "test", "install"}, {"make", "test", "install"}, true},
           {{"make", "-j2", "test"}, {"make", "-j2", "test"}, true},
           {{"git", "commit", "-m", "x"}, {"git", "commit", "-m", "x"}, true},
           {{"git", "fetch", "origin"}, {"git", "fetch", "origin"}, true},
           {{"kubectl", "get", "pods"}, {"kubectl", "get", "pods"}, true},
           {{"kubectl", "apply", "-f", "x"}, {"kubectl", "apply", "-f", "x"}, true},
           {{"npm", "install"}, {"npm", "install"}, true},
           {{"cp", "a", "b"}, {"cp", "a", "b"}, true},
           {{"pytest", "-q"}, {"pytest", "-q"}, true},
           {{"jest", "a"}, {"jest", "a"}, true},
           {{"git"}, {"git"}, true},
           {{"ls"}, {"ls"}, true}}) {
    const auto rule = rule_to_store(program_call(row.argv));
    ASSERT_TRUE(rule.has_value()) << Json(row.argv) << rule.error().message;
    EXPECT_EQ(rule->rule["argv"], Json(row.stored));
    EXPECT_EQ(rule->rule.contains("exact"), row.is_exact) << Json(row.argv);
    const Policy policy = with_stored({rule->rule});
    EXPECT_EQ(decided(policy, row.argv), Decision::kAllow) << Json(row.argv);
    Argv more = row.argv;
    more.emplace_back("more");
    EXPECT_TRUE(!row.is_exact || decided(policy, more) == Decision::kPrompt) << Json(more);
  }
}

TEST(StoredRuleTest, AStoredRuleOfAnEarlierVersionAllowsNoMoreThanOneOfThis) {
  const auto rule = [](const Argv& argv) {
    return Json{{"tool", "tool.run"}, {"argv", argv}, {"decision", "allow"}};
  };
  const Policy policy =
      with_stored({rule({"kubectl", "exec"}), rule({"rm", "-rf", "x"}), rule({"git", "commit"}),
                   rule({"cp", "a", "b"}), rule({"git", "log"}), rule({"npm", "install"})});
  for (const Argv& argv : std::vector<Argv>{{"kubectl", "exec", "p", "ls"},
                                            {"rm", "-rf", "x"},
                                            {"rm", "-rf", "x", "y"},
                                            {"git", "commit", "-m", "x"},
                                            {"cp", "a", "b", "c"},
                                            {"npm", "install", "x"}}) {
    EXPECT_EQ(decided(policy, argv), Decision::kPrompt) << Json(argv);
  }
  EXPECT_EQ(decided(policy, {"git", "log", "-3"}), Decision::kAllow);
  EXPECT_EQ(decided(policy, {"cp", "a", "b"}), Decision::kAllow);
  EXPECT_EQ(decided(policy, {"npm", "install"}), Decision::kAllow);
}

TEST(StoredRuleTest, OnlyARuleThatAllowsAnArgvIsExact) {
  const Policy policy =
      policy_of("  - {tool: tool.run, argv: [ls, [a, b]], exact: true, decision: allow}\n");
  EXPECT_EQ(decided(policy, {"ls", "b"}), Decision::kAllow);
  EXPECT_EQ(decided(policy, {"ls", "a", "b"}), Decision::kPrompt);
  EXPECT_THAT(policy.decide(program_call({"ls", "a"})).rule, HasSubstr("exactly"));
  for (const char* rule : {"{tool: tool.run, argv: [ls], exact: true, decision: deny}",
                           "{tool: tool.run, exact: true, decision: allow}",
                           "{tool: file.edit, exact: true, decision: allow}"}) {
    const auto read = Policy::read({{"p", std::string("policy: {rules: [") + rule + "]}"}});
    ASSERT_FALSE(read.has_value()) << rule;
    EXPECT_THAT(read.error().message, HasSubstr("may be exact"));
  }
}

}  // namespace
}  // namespace filecall::client
