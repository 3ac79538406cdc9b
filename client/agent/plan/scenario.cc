// SPDX-License-Identifier: MIT
#include "client/agent/plan/scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "client/core/digest.h"
#include "embedded/scenario_files.h"
#include "yaml/yaml_section.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kCountMax = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kNameBytesMax = 60;
constexpr std::string_view kBuiltIns[] = {"explore", "code", "editor_code", "kubeops"};

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

void read_models(YamlSection& yaml, Scenario& scenario) {
  yaml.read("models", scenario.models);
  if (std::count(scenario.models.begin(), scenario.models.end(), "") > 0) {
    yaml.complain("models", "a model has a name: MODEL or PROVIDER/MODEL");
  }
}

void read_tools(YamlSection& yaml, Scenario& scenario) {
  yaml.read("tools", scenario.tools);
  if (!yaml.has("tools") || scenario.tools.empty()) {
    yaml.complain("tools", "name at least one tool, such as file.read or kube.*");
  }
  for (const std::string& tool : scenario.tools) {
    if (tool.empty()) yaml.complain("tools", "a tool has a name");
  }
}

void read_checks(YamlSection& yaml, Scenario& scenario) {
  const Json checks = yaml.read_json("checks");
  if (checks.is_null()) return;
  if (!checks.is_array()) return yaml.complain("checks", "expected a list of params of tool.run");
  for (const Json& check : checks) {
    if (!check.is_object() || !(check.contains("argv") || check.contains("tool"))) {
      yaml.complain("checks", "each check is params of tool.run, with 'argv' or 'tool'");
      return;
    }
    scenario.checks.push_back(check);
  }
}

void read_report(YamlSection& yaml, Scenario& scenario) {
  std::string report;
  yaml.read("report", report);
  scenario.has_report = report != "none";
  if (scenario.has_report) scenario.report_instructions = std::move(report);
}

void read_budgets(YamlSection& yaml, ScenarioBudgets& budgets) {
  yaml.section("budgets", [&budgets](YamlSection& section) {
    section.read_integer("steps", 0, kCountMax, budgets.steps);
    section.read_integer("calls", 0, kCountMax, budgets.calls);
    section.read_integer("tokens", 0, kCountMax, budgets.tokens);
    section.read_number("cost", 0, 1e12, budgets.cost);
    section.read_integer("writes", 0, kCountMax, budgets.writes);
    section.read("time", budgets.time);
  });
}

void read_members(YamlSection& yaml, Scenario& scenario) {
  yaml.read("name", scenario.name);
  if (!is_name(scenario.name)) {
    yaml.complain("name", "a scenario's name has letters, digits, '-' and '_'");
  }
  yaml.read("description", scenario.description);
  yaml.read("instructions", scenario.instructions);
  read_models(yaml, scenario);
  if (auto planner = yaml.read_choice("planner", {"json", "tools"})) scenario.planner = *planner;
  read_tools(yaml, scenario);
  if (auto editing = yaml.read_choice("editing", {"direct", "branch", "proposal"})) {
    scenario.editing = *editing;
  }
  read_checks(yaml, scenario);
  read_budgets(yaml, scenario.budgets);
  read_report(yaml, scenario);
  yaml.read_integer("context_tokens", 1000, 100'000'000, scenario.context_tokens);
  yaml.read_integer("commentary", 1, 10'000, scenario.commentary_characters);
  scenario.policy = yaml.read_json("policy");
  if (!scenario.policy.is_null() && !scenario.policy.is_object()) {
    yaml.complain("policy", "expected a mapping with 'rules'");
  }
  yaml.finish();
}

Json budgets_json(const ScenarioBudgets& budgets) {
  return {{"steps", budgets.steps}, {"calls", budgets.calls},   {"tokens", budgets.tokens},
          {"cost", budgets.cost},   {"writes", budgets.writes}, {"time_ms", to_ms(budgets.time)}};
}

}  // namespace

Json scenario_json(const Scenario& scenario) {
  Json json = {{"name", scenario.name},
               {"description", scenario.description},
               {"instructions", scenario.instructions},
               {"models", scenario.models},
               {"planner", scenario.planner},
               {"tools", scenario.tools},
               {"editing", scenario.editing},
               {"checks", scenario.checks},
               {"budgets", budgets_json(scenario.budgets)},
               {"report", scenario.has_report ? scenario.report_instructions : "none"},
               {"context_tokens", scenario.context_tokens},
               {"commentary", scenario.commentary_characters},
               {"file", scenario.file},
               {"digest", scenario.digest},
               {"built_in", scenario.is_built_in}};
  if (!scenario.policy.is_null()) json["policy"] = scenario.policy;
  return json;
}

Result<Scenario> read_scenario(const std::string& text, const std::string& file,
                               std::string_view name) {
  Scenario scenario;
  scenario.name = name;
  scenario.file = file;
  scenario.text = text;
  std::vector<std::string> complaints;
  TRY_ASSIGN(YamlSection yaml, YamlSection::parse(text, file, complaints));
  read_members(yaml, scenario);
  if (!complaints.empty()) {
    std::string all;
    for (const std::string& complaint : complaints) all += (all.empty() ? "" : "\n") + complaint;
    return fail(ErrorCode::kInvalidArgument, std::move(all));
  }
  Json said = scenario_json(scenario);
  for (const char* place : {"file", "digest", "built_in"}) said.erase(place);
  scenario.digest = digest_of(dump_json(said));
  return scenario;
}

const std::vector<Scenario>& built_in_scenarios() {
  static const std::vector<Scenario> kAll = [] {
    std::vector<Scenario> all;
    for (const std::string_view name : kBuiltIns) {
      for (const EmbeddedFile& file : scenario_files()) {
        if (file.name != std::string(name) + ".yaml") continue;
        auto scenario =
            read_scenario(std::string(file.bytes), fmt::format("built-in scenario {}", name), name);
        CHECK(scenario, "a built-in scenario is right");
        scenario->is_built_in = true;
        all.push_back(*std::move(scenario));
      }
    }
    CHECK(all.size() == std::size(kBuiltIns), "all of them are embedded");
    return all;
  }();
  return kAll;
}

}  // namespace filecall::client
