// SPDX-License-Identifier: MIT
#include "client/report/retry_advice.h"

#include <fmt/core.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace filecall::client {

std::string retry_commands(const std::array<std::int64_t, kErrorCodeCount>& by_error) {
  std::int64_t others = std::accumulate(by_error.begin(), by_error.end(), std::int64_t{0});
  std::vector<std::string> commands;
  for (const ErrorCode code : {ErrorCode::kCancelled, ErrorCode::kAborted}) {
    const std::int64_t count = by_error[static_cast<std::size_t>(code)];
    others -= count;
    if (count == 0) continue;
    commands.push_back(fmt::format("'filecall retry --failed --code {}'", to_string(code)));
  }
  if (others > 0) commands.insert(commands.begin(), "'filecall retry --failed'");
  std::string text;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string_view between = i == 0 ? "" : i + 1 == commands.size() ? " and " : ", ";
    text += fmt::format("{}{}", between, commands[i]);
  }
  return text;
}

}  // namespace filecall::client
