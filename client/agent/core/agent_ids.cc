// SPDX-License-Identifier: MIT
#include "client/agent/core/agent_ids.h"

#include <fmt/core.h>

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
