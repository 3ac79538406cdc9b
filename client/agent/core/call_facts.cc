// SPDX-License-Identifier: MIT
#include "client/agent/core/call_facts.h"

#include <algorithm>
#include <string_view>

#include "client/agent/core/call_route.h"
#include "client/core/tool_reach.h"

namespace filecall::client {
namespace {

/// Texts of arguments that are shorter say nothing about where they come from.
constexpr std::size_t kOutsideBytesMin = 8;

bool has_text_from(const Json& value, const std::vector<std::string>& texts,
                   const std::string& goal) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() < kOutsideBytesMin || goal.find(text) != std::string::npos) return false;
    // Results hold it as JSON does.
    std::string quoted = dump_json(value);
    const std::string escaped = quoted.substr(1, quoted.size() - 2);
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& result) {
      return result.find(escaped) != std::string::npos;
    });
  }
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(),
                     [&](const Json& member) { return has_text_from(member, texts, goal); });
}

const Json& args_that_run(const AgentCall& call) {
  return call.modified_args.is_null() ? call.args : call.modified_args;
}

}  // namespace

bool has_call_effects(const AgentCall& call, const AgentState& state, const ToolCatalog& catalog) {
  if (changes_files(call.tool, state.settings().editing)) return true;
  const CatalogTool* tool = catalog.find_any(call.tool);
  if (tool == nullptr) return true;
  return tool->has_effects && !only_lists(call.tool, args_that_run(call));
}

std::vector<std::string> outside_texts(const AgentState& state) {
  std::vector<std::string> texts;
  for (const AgentStep& step : state.steps()) {
    for (const AgentCall& call : step.calls) {
      if (!call.result.empty()) texts.push_back(call.result);
    }
  }
  return texts;
}

CallFacts call_facts(const AgentCall& call, const AgentState& state, const ToolCatalog& catalog,
                     WallTime now) {
  CallFacts facts;
  facts.tool = call.tool;
  facts.args = args_that_run(call);
  facts.has_effects = has_call_effects(call, state, catalog);
  if (const CatalogTool* tool = catalog.find_any(call.tool)) facts.catalog_risk = tool->risk;
  std::string said = state.settings().goal;
  for (const SteerText& steer : state.steers()) said += "\n" + steer.text;
  facts.args_from_outside =
      facts.has_effects && has_text_from(facts.args, outside_texts(state), said);
  facts.preview = call.preview;
  facts.impact = call.impact;
  facts.impact_error = call.impact_error;
  facts.now = now;
  return facts;
}

}  // namespace filecall::client
