// SPDX-License-Identifier: MIT
#include "client/agent/plan/loop_guard.h"

#include <fmt/core.h>

#include <utility>

#include "base/hash.h"

namespace filecall::client {
namespace {

/// How often the last `cycle` keys stand at the end, in a row.
int repeats_of(const std::vector<std::string>& keys, std::size_t cycle) {
  if (keys.size() < cycle) return 0;
  std::size_t same = 0;
  while (same + cycle < keys.size() &&
         keys[keys.size() - 1 - same] == keys[keys.size() - 1 - same - cycle]) {
    ++same;
  }
  return 1 + static_cast<int>(same / cycle);
}

}  // namespace

std::string loop_key(const std::vector<LoopStep>& calls) {
  // Objects are sorted by name, so their text is canonical.
  Json key = Json::array();
  for (const LoopStep& call : calls) key.push_back({call.tool, call.args, call.result_digest});
  return hash128(dump_json(key)).hex();
}

LoopGuard::Verdict LoopGuard::add(std::string key) {
  keys_.push_back(std::move(key));
  if (keys_.size() > kCycleMax * kEndAt) keys_.erase(keys_.begin());
  Verdict verdict;
  for (int cycle = 1; cycle <= kCycleMax; ++cycle) {
    const int repeats = repeats_of(keys_, static_cast<std::size_t>(cycle));
    if (repeats > verdict.repeats) verdict = {Kind::kFine, cycle, repeats, {}};
  }
  if (verdict.repeats < kWarnAt) return {};
  verdict.kind = verdict.repeats >= kEndAt ? Kind::kEnd : Kind::kWarn;
  verdict.text =
      verdict.cycle == 1
          ? fmt::format("the same step with the same result {} times in a row", verdict.repeats)
          : fmt::format("the same {} steps with the same results {} times in a row", verdict.cycle,
                        verdict.repeats);
  return verdict;
}

}  // namespace filecall::client
