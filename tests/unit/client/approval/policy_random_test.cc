// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "base/shell_word.h"
#include "client/approval/core/approval_decision.h"
#include "client/approval/core/risk.h"
#include "tests/unit/client/approval/decided_calls.h"

namespace filecall::client {
namespace {

constexpr int kRounds = 100;

const std::vector<std::string>& some_words() {
  static const auto* const words = new std::vector<std::string>{
      "git",  "push",   "status", "-C",  "/x",  "--force", "-c",     "a=b",
      "make", "test",   "deploy", "ls",  "-rf", "kubectl", "delete", "-n",
      "prod", "docker", "run",    "npm", "--",  "it's",    "a b",    "$x"};
  return *words;
}

std::vector<std::string> random_argv(Random& random) {
  std::vector<std::string> argv;
  static constexpr const char* kPrograms[] = {"git", "make", "ls", "kubectl", "docker", "npm"};
  argv.emplace_back(kPrograms[random.below(std::size(kPrograms))]);
  for (std::uint64_t n = random.below(5); n > 0; --n) {
    argv.push_back(some_words()[random.below(some_words().size())]);
  }
  return argv;
}

Json random_rule(Random& random, const char* decision) {
  std::vector<std::string> argv = random_argv(random);
  argv.resize(1 + random.below(argv.size()));
  return {{"tool", random.below(4) == 0 ? "tool.*" : "tool.run"},
          {"argv", argv},
          {"decision", decision}};
}

std::string text_of(const std::vector<Json>& rules) {
  return dump_json({{"policy", {{"rules", rules}}}});
}

TEST(PolicyRandomTest, NoRuleThatDeniesOrPromptsMakesADecisionLaxer) {
  Random random(20);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Json> rules;
    static constexpr const char* kDecisions[] = {"allow", "prompt", "deny"};
    for (int i = 0; i < 4; ++i) rules.push_back(random_rule(random, kDecisions[random.below(3)]));
    const auto before = Policy::read({{"a", text_of(rules)}});
    ASSERT_TRUE(before.has_value()) << before.error().message;
    const char* added = kDecisions[1 + random.below(2)];
    const auto after =
        Policy::read({{"a", text_of(rules)}, {"b", text_of({random_rule(random, added)})}});
    ASSERT_TRUE(after.has_value()) << after.error().message;
    for (int i = 0; i < 8; ++i) {
      const CallToDecide call = program_call(random_argv(random));
      ASSERT_GE(after->decide(call).decision, before->decide(call).decision)
          << text_of(rules) << call.args;
    }
  }
}

/// The same command, run by another program.
std::vector<std::string> wrapped(Random& random, const std::vector<std::string>& argv) {
  std::string script;
  for (const std::string& word : argv) script += (script.empty() ? "" : " ") + shell_word(word);
  std::vector<std::string> out;
  switch (random.below(8)) {
    case 0:
      out = {"env", "-u", "X", "A=b"};
      break;
    case 1:
      out = {"sudo", "-n", "-u", "root"};
      break;
    case 2:
      out = {"timeout", "--signal=9", "5"};
      break;
    case 3:
      out = {"nice", "-n", "3", "setsid", "-w"};
      break;
    case 4:
      return {"sh", "-c", script};
    case 5:
      return {"bash", "-lc", "cd /x && (A=b " + script + " > out 2>&1 | cat)"};
    case 6:
      return {"find", ".", "-exec", "sh", "-c", script, ";"};
    default:
      return {"bash", "-c", "echo \"$(" + script + ")\""};
  }
  out.insert(out.end(), argv.begin(), argv.end());
  return out;
}

TEST(PolicyRandomTest, WhatIsDeniedIsDeniedThroughEveryWrapper) {
  Random random(21);
  int denied = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto policy = Policy::read({{"a", text_of({random_rule(random, "deny")})}});
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    for (int i = 0; i < 8; ++i) {
      const std::vector<std::string> argv = random_argv(random);
      if (policy->decide(program_call(argv)).decision != Decision::kDeny) continue;
      ++denied;
      std::vector<std::string> hidden = wrapped(random, argv);
      if (random.below(2) == 0) hidden = wrapped(random, hidden);
      ASSERT_EQ(policy->decide(program_call(hidden)).decision, Decision::kDeny) << Json(hidden);
      std::vector<std::string> by_path = argv;
      by_path[0] = "/usr/local/bin/" + argv[0];
      ASSERT_EQ(policy->decide(program_call(by_path)).decision, Decision::kDeny);
    }
  }
  EXPECT_GT(denied, 20);
}

TEST(PolicyRandomTest, ChangedArgumentsAreNeverAllowedWhereTheyAreDenied) {
  Random random(22);
  for (int round = 0; round < kRounds; ++round) {
    const auto policy =
        Policy::read({{"a", text_of({random_rule(random, "deny"), random_rule(random, "allow")})}});
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    const CallToDecide asked = program_call(random_argv(random));
    const CallToDecide changed = program_call(random_argv(random));
    const bool is_denied = policy->decide(changed).decision == Decision::kDeny;
    ASSERT_EQ(decide_modified(*policy, asked, changed.args).has_value(), !is_denied);
  }
}

TEST(PolicyRandomTest, WhateverBytesAnArgvHasItIsDecidedAndNeverAllowedByDefault) {
  Random random(23);
  const Policy policy = policy_of("  - {tool: tool.run, argv: [git, push], decision: deny}\n");
  static constexpr std::string_view kBytes = "ab -=/$(){}[]<>'\"\\`;&|\n\t*?~#!,.:@+%^\x01\xff";
  for (int round = 0; round < kRounds; ++round) {
    std::string script;
    for (std::uint64_t n = random.below(60); n > 0; --n) {
      script += kBytes[random.below(kBytes.size())];
    }
    for (const std::vector<std::string>& argv :
         std::vector<std::vector<std::string>>{{"sh", "-c", script},
                                               {script, script},
                                               {"env", script},
                                               {"sudo", script, script},
                                               {"git", script, "push"}}) {
      ASSERT_NE(policy.decide(program_call(argv)).decision, Decision::kAllow);
    }
  }
}

TEST(PolicyRandomTest, AnOpinionOnlyRaisesARisk) {
  for (const Risk risk : {Risk::kLow, Risk::kMedium, Risk::kHigh, Risk::kCritical}) {
    for (const char* opinion : {"low", "medium", "high", "critical", "none", ""}) {
      EXPECT_GE(with_opinion(risk, opinion), risk);
    }
  }
  EXPECT_EQ(with_opinion(Risk::kLow, "high"), Risk::kHigh);
}

}  // namespace
}  // namespace filecall::client
