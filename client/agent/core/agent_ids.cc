// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_ids.h"

#include <fmt/core.h>

#include <charconv>
#include <system_error>
#include <utility>

#include "client/core/result_round.h"

namespace filecall::client::agent_ids {

namespace {

std::string model_suffix(std::size_t model) {
  return model == 0 ? std::string() : fmt::format(".m{}", model + 1);
}
std::string round_suffix(int round) {
  return round <= 1 ? std::string() : fmt::format("-{}", round);
}

}  // namespace

std::string catalog(std::string_view run) { return fmt::format("{}.catalog", run); }

std::string again(std::string_view run, std::int64_t seq) {
  return fmt::format("{}.catalog-{}", run, seq);
}

std::string plan(std::string_view run, std::int64_t step, int turn, std::size_t model) {
  return fmt::format("{}.{}.plan{}{}", run, step, round_suffix(turn), model_suffix(model));
}

std::string call(std::string_view run, std::int64_t step, int n) {
  return fmt::format("{}.{}.{}", run, step, n);
}

std::optional<CallName> parse_call(std::string_view id) {
  CallName name;
  const auto take = [&id](auto& number) {
    const std::size_t dot = id.rfind('.');
    if (dot == std::string_view::npos) return false;
    const char* const end = id.data() + id.size();
    const auto [rest, status] = std::from_chars(id.data() + dot + 1, end, number);
    id = id.substr(0, dot);
    return status == std::errc() && rest == end;
  };
  const std::string_view whole = id;
  if (!take(name.n) || !take(name.step)) return std::nullopt;
  name.run = id;
  const bool is_it = !name.run.empty() && call(name.run, name.step, name.n) == whole;
  return is_it ? std::optional(std::move(name)) : std::nullopt;
}

std::string preview(std::string_view run, std::int64_t step, int n, int round) {
  return fmt::format("{}.{}.{}.preview{}", run, step, n, round_suffix(round));
}

std::string impact(std::string_view run, std::int64_t step, int n, int round) {
  return fmt::format("{}.{}.{}.impact{}", run, step, n, round_suffix(round));
}

std::string approval(std::string_view run, std::int64_t step, int round) {
  return fmt::format("{}.{}{}", run, step, round_suffix(round));
}

std::string report(std::string_view run, std::size_t model) {
  return fmt::format("{}.report{}", run, model_suffix(model));
}

std::string result(std::string_view run, int round) { return result_id(run, round); }

std::string branch(std::string_view run, std::string_view what, int round) {
  return fmt::format("{}.branch.{}{}", run, what, round_suffix(round));
}

}  // namespace filecall::client::agent_ids
