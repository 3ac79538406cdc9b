// SPDX-License-Identifier: MIT
#include "client/cli/approval_origin.h"

#include <fmt/core.h>

#include "base/stem.h"
#include "client/agent/core/record_member.h"
#include "client/cli/agent_actions.h"
#include "client/threads/run_records.h"

namespace filecall::client {

std::string altered_request_text(const spool::Layout& layout, const Json& request) {
  const std::string run = text_at(request, "run");
  const std::string id = text_at(request, "id");
  if (!is_valid_stem(run)) return {};
  const auto place = look_for_run(layout, run);
  if (!place || !*place) return {};
  const auto state = read_agent_state(layout, (*place)->thread, run);
  const bool is_damaged = state ? !state->damage().empty() && !state->is_over()
                                : state.error().code == ErrorCode::kDataLoss;
  if (is_damaged) {
    return "of no use: its run cannot go on: " + (state ? state->damage() : state.error().message);
  }
  if (!state) return {};
  for (const AgentStep& step : state->steps()) {
    if (step.approval != id || !step.approval_request.is_object()) continue;
    if (text_at(step.approval_request, "digest") == text_at(request, "digest")) return {};
    return fmt::format(
        "altered: it is not what run {} asked for; 'filecall agent show {}' has its records, and a "
        "decision on this one does not hold",
        run, run);
  }
  return {};
}

}  // namespace filecall::client
