// SPDX-License-Identifier: MIT
#include "client/eval/turn_sections.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "client/eval/tool_called_grader.h"

namespace filecall::client {
namespace {

constexpr std::int64_t kCallsMax = 1'000'000;

}  // namespace

void read_turn(YamlSection& section, int& turn) {
  if (!section.has("turn")) return;
  constexpr std::int64_t kTurnMax = 10'000;
  const Json value = section.read_json("turn");
  if (value == "all" || value == "last") {
    turn = value == "all" ? kAllTurns : kLastTurn;
  } else if (value.is_number_integer() && value >= 1 && value <= kTurnMax) {
    turn = value.get<int>();
  } else {
    section.complain("turn", "must be the number of a turn, from 1, or all, or last");
  }
}

std::unique_ptr<Grader> read_tool_called(YamlSection& section, GraderSettings settings) {
  ToolCalledRule rule;
  section.read("tool", rule.tool);
  if (section.has("arguments")) rule.arguments = section.read_json("arguments");
  if (!section.has("turn")) settings.turn = kAllTurns;
  section.read_integer("min", 0, kCallsMax, rule.at_least);
  if (section.has("max")) {
    rule.at_most = 0;
    section.read_integer("max", 0, kCallsMax, *rule.at_most);
    if (!section.has("min")) rule.at_least = std::min<std::int64_t>(1, *rule.at_most);
    if (rule.at_least > *rule.at_most) section.complain("max", "must not be below min");
  }
  return make_tool_called_grader(std::move(settings), std::move(rule));
}

}  // namespace filecall::client
