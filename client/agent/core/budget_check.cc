// SPDX-License-Identifier: MIT
#include "client/agent/core/budget_check.h"

#include <fmt/core.h>

#include "base/count_text.h"

namespace filecall::client {
namespace {

std::string over_time(const AgentState& state, WallTime now) {
  const Duration time = state.settings().budgets.time;
  if (time <= Duration::zero() || state.active_time(now) < time) return {};
  return fmt::format("the budget of time ({:g} s) is used",
                     static_cast<double>(to_ms(time)) / 1000);
}

}  // namespace

std::string unknown_cost(const AgentState& state) {
  if (state.settings().budgets.cost <= 0 || state.is_cost_known()) return {};
  return "a response of the model has no price, so --max-cost cannot be enforced; give the model "
         "prices in the worker's configuration, or --max-tokens in its place";
}

std::string over_budget_of_plans(const AgentState& state, WallTime now) {
  const AgentBudgets& budgets = state.settings().budgets;
  if (budgets.steps > 0 && static_cast<std::int64_t>(state.steps().size()) >= budgets.steps) {
    return fmt::format("the budget of {} is used", counted_noun(budgets.steps, "step"));
  }
  if (budgets.tokens > 0 && state.tokens() >= budgets.tokens) {
    return fmt::format("the budget of {} is used ({} were)", counted_noun(budgets.tokens, "token"),
                       grouped_digits(state.tokens()));
  }
  if (budgets.cost > 0 && state.cost() >= budgets.cost) {
    return fmt::format("the budget of US$ {:.4f} is used (US$ {:.4f} were)", budgets.cost,
                       state.cost());
  }
  return over_time(state, now);
}

std::string over_budget_of_calls(const AgentState& state, bool is_write, WallTime now) {
  const AgentBudgets& budgets = state.settings().budgets;
  if (budgets.calls > 0 && state.calls() >= budgets.calls) {
    return fmt::format("the budget of {} is used", counted_noun(budgets.calls, "call"));
  }
  if (is_write && budgets.writes > 0 && state.writes() >= budgets.writes) {
    return fmt::format("the budget of {} is used", counted_noun(budgets.writes, "write"));
  }
  return over_time(state, now);
}

bool can_continue_with(const AgentState& state, const Json& budgets, WallTime now) {
  if (state.end() != AgentEnd::kBudget || !state.damage().empty()) return false;
  // Writes count when they were what ended it.
  const bool by_writes =
      over_budget_of_plans(state, now).empty() && over_budget_of_calls(state, false, now).empty();
  AgentState after = state;
  after.fold("run.budgets", {{"budgets", budgets}, {"continues", true}}, now);
  return over_budget_of_plans(after, now).empty() &&
         over_budget_of_calls(after, by_writes, now).empty();
}

}  // namespace filecall::client
