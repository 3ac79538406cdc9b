// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace filecall::client {

/// The id of a result of an agent's run, taken apart: `{run}.result` is the first one, and a run
/// that went on after its end has `{run}.result-2` and so on. Pure.
struct ResultRound {
  std::string_view run;  ///< Of the id that was given.
  int round = 1;
};

/// nullopt: no result has such an id. Any request may have one: only its metadata tell that an
/// agent made it.
std::optional<ResultRound> result_round(std::string_view id);
std::string result_id(std::string_view run, int round);

}  // namespace filecall::client
