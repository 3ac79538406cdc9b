// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/agent/core/agent_machine.h"
#include "client/threads/thread_record.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::client {

/// Where the machine would now do something else than the run's records say.
struct ReplayDifference {
  std::int64_t seq = 0;  ///< Of the record.
  std::string text;
};

struct Replay {
  std::int64_t steps = 0;
  std::int64_t records = 0;  ///< That were compared.
  std::vector<ReplayDifference> differences;
  /// Why it ended before the last record; empty: it did not.
  std::string stopped;
};

/// What the files of a root say of a request, for a replay.
struct ReplayFiles {
  std::function<std::shared_ptr<const Response>(const std::string& id)> response;
  std::function<std::optional<Json>(const std::string& id)> request;  ///< Its whole text.
};

/// Plays a run again from its records and the recorded answers: no model is asked, nothing has
/// effects. `records` are those of the run with their whole data, in their order. After the first
/// record that the machine would not write it stops: what follows is another run.
Replay replay_run(const std::string& run, const std::vector<ThreadRecord>& records,
                  std::shared_ptr<ToolCatalog> catalog, const AgentJudge& judge,
                  const ReplayFiles& files);

}  // namespace filecall::client
