// SPDX-License-Identifier: MIT
#include "client/agent/plan/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "client/agent/scenarios/scenario_files.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kText = R"(# a comment
name: mine
description: Checks what I wrote.
instructions: |
  Read first.
models: [openai/gpt-4.1, local/qwen3]
planner: tools
tools: [file.read, "git.*"]
editing: branch
checks:
- {argv: [make, test]}
budgets: {steps: 7, calls: 9, tokens: 1000, cost: 0.5, writes: 2, time: 10m}
report: Be short.
context_tokens: 20000
commentary: 80
policy:
  rules:
  - {tool: file.read, decision: allow}
)";

TEST(Scenario, IsReadFromYaml) {
  const auto scenario = read_scenario(kText, "mine.yaml", "other");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->name, "mine");
  EXPECT_EQ(scenario->instructions, "Read first.\n");
  EXPECT_THAT(scenario->models, ElementsAre("openai/gpt-4.1", "local/qwen3"));
  EXPECT_EQ(scenario->planner, "tools");
  EXPECT_THAT(scenario->tools, ElementsAre("file.read", "git.*"));
  EXPECT_EQ(scenario->editing, "branch");
  EXPECT_THAT(scenario->checks, ElementsAre(Json({{"argv", {"make", "test"}}})));
  EXPECT_EQ(scenario->budgets, (ScenarioBudgets{7, 9, 1000, 0.5, 2, seconds(600)}));
  EXPECT_EQ(scenario->report_instructions, "Be short.");
  EXPECT_EQ(scenario->context_tokens, 20000);
  EXPECT_EQ(scenario->commentary_characters, 80);
  EXPECT_EQ(scenario->policy["rules"][0]["decision"], "allow");
  EXPECT_EQ(scenario->text, kText);
}

TEST(Scenario, HasADigestOfWhatItSays) {
  const std::string digest = read_scenario(kText, "a", "x")->digest;
  EXPECT_EQ(read_scenario(std::string("\n# more\n") + kText, "b", "y")->digest, digest);
  std::string other = kText;
  other.replace(other.find("steps: 7"), 8, "steps: 8");
  EXPECT_NE(read_scenario(other, "a", "x")->digest, digest);
  other = kText;
  other.replace(other.find("decision: allow"), 15, "decision: deny");
  EXPECT_NE(read_scenario(other, "a", "x")->digest, digest);
}

TEST(Scenario, TakesItsNameFromItsFile) {
  EXPECT_EQ(read_scenario("tools: [file.read]", "x.yaml", "x")->name, "x");
  EXPECT_FALSE(read_scenario("tools: [file.read]\nreport: none", "x.yaml", "x")->has_report);
}

TEST(Scenario, NamesAllThatIsWrongWithLineAndColumn) {
  const auto wrong = read_scenario(
      "tools: []\nplanner: xml\nediting: by hand\nbudgets: {steps: -1, money: 3}\n"
      "context_tokens: 1\nmodels: [\"\"]\nchecks: [{}]\nname: a/b\nsurprise: 1\n",
      "s.yaml", "s");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
  for (const char* part : {"s.yaml:1:", "s.yaml:2:", "s.yaml:3:", "s.yaml:4:", "money",
                           "s.yaml:5:", "s.yaml:6:", "s.yaml:7:", "s.yaml:8:", "surprise"}) {
    EXPECT_THAT(wrong.error().message, HasSubstr(part));
  }
  EXPECT_THAT(read_scenario("description: x", "s.yaml", "s").error().message, HasSubstr("tools"));
  EXPECT_THAT(read_scenario("- a", "s.yaml", "s").error().message, HasSubstr("s.yaml:1:1"));
  EXPECT_THAT(read_scenario("a: [", "s.yaml", "s").error().message, HasSubstr("s.yaml:"));
}

TEST(BuiltInScenarios, SayWhatTheyAreAndUseNoToolOfTheClientsOwn) {
  const auto& all = built_in_scenarios();
  ASSERT_THAT(all, SizeIs(4));
  for (const Scenario& scenario : all) {
    EXPECT_FALSE(scenario.description.empty()) << scenario.name;
    EXPECT_GT(scenario.instructions.size(), 200U) << scenario.name;
    EXPECT_TRUE(scenario.is_built_in);
    for (const std::string& tool : scenario.tools) {
      EXPECT_FALSE(tool.starts_with("system") || tool.starts_with("llm") || tool == "*") << tool;
    }
  }
  const auto has = [](const Scenario& scenario, const char* tool) {
    return std::count(scenario.tools.begin(), scenario.tools.end(), tool) > 0;
  };
  EXPECT_EQ(all[0].name, "explore");
  for (const char* write :
       {"file.edit", "file.*", "tool.run", "kube.patchResource", "git.commit"}) {
    EXPECT_FALSE(has(all[0], write)) << write;
  }
  EXPECT_EQ(all[1].editing, "branch");
  EXPECT_EQ(all[2].editing, "proposal");
  EXPECT_FALSE(has(all[2], "file.edit"));
  EXPECT_TRUE(has(all[3], "kube.diffResource"));
  EXPECT_FALSE(has(all[3], "kube.exec"));
}

class ScenarioFiles : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/filecall-scenarios-XXXXXX";
    configuration_ = mkdtemp(pattern);
    std::filesystem::create_directory(configuration_ + "/scenarios");
  }
  void TearDown() override { std::filesystem::remove_all(configuration_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(configuration_ + "/scenarios/" + name) << text;
  }

  std::string configuration_;
};

TEST_F(ScenarioFiles, AreFoundByNameOrPath) {
  write("mine.yaml", kText);
  EXPECT_EQ(find_scenario("mine", configuration_)->name, "mine");
  EXPECT_EQ(find_scenario(configuration_ + "/scenarios/mine.yaml", "")->name, "mine");
  EXPECT_TRUE(find_scenario("code", configuration_)->is_built_in);
  EXPECT_TRUE(find_scenario("code", "")->is_built_in);
  const auto none = find_scenario("cod", configuration_);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr("did you mean code"));
  EXPECT_EQ(find_scenario("./none.yaml", configuration_).error().code, ErrorCode::kNotFound);
}

TEST_F(ScenarioFiles, TakeThePlaceOfABuiltInOne) {
  write("code.yaml", "tools: [file.read]\n");
  write("broken.yml", "tools: 1\n");
  write("notes.txt", "x");
  EXPECT_FALSE(find_scenario("code", configuration_)->is_built_in);
  const auto listing = list_scenarios(configuration_);
  ASSERT_TRUE(listing);
  std::vector<std::string> names;
  for (const Scenario& one : listing->scenarios) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("explore", "editor_code", "kubeops", "code"));
  ASSERT_THAT(listing->unreadable, SizeIs(1));
  EXPECT_THAT(listing->unreadable[0], HasSubstr("broken.yml"));
  EXPECT_THAT(list_scenarios(configuration_ + "/none")->unreadable, IsEmpty());
}

}  // namespace
}  // namespace filecall::client
