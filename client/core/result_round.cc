// SPDX-License-Identifier: MIT
#include "client/core/result_round.h"

#include <fmt/core.h>

#include <charconv>

namespace filecall::client {
namespace {

constexpr std::string_view kResult = ".result";

}  // namespace

std::optional<ResultRound> result_round(std::string_view id) {
  const std::size_t at = id.rfind(kResult);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  ResultRound found{.run = id.substr(0, at)};
  const std::string_view rest = id.substr(at + kResult.size());
  if (rest.empty()) return found;
  // Written one way alone: no sign, no zero before it, and the first one has no number.
  if (rest.size() < 2 || rest[0] != '-' || rest[1] < '1' || rest[1] > '9') return std::nullopt;
  const char* const end = rest.data() + rest.size();
  const auto [last, status] = std::from_chars(rest.data() + 1, end, found.round);
  if (status != std::errc() || last != end || found.round < 2) return std::nullopt;
  return found;
}

std::string result_id(std::string_view run, int round) {
  return round <= 1 ? fmt::format("{}{}", run, kResult)
                    : fmt::format("{}{}-{}", run, kResult, round);
}

}  // namespace filecall::client
