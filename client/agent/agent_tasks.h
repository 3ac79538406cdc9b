// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "client/agent/agent_pool.h"
#include "ipc/json.h"

namespace filecall::client {

/// The runs of a file of tasks, a JSON object a line: {"goal": "...", "id": "..."} and any other
/// members, which graders find as metadata.vars. All lines are checked before the first run begins.
/// Each run has a thread of its own, so that many go on at once. Ids follow from the file's name
/// and the lines, so that the same command goes on.
class AgentTasks final : public AgentSource {
 public:
  /// `name`: what ids begin with. `base`: what all runs share. Failure: invalid_argument, every
  /// line that is none, by its number.
  static Result<AgentTasks> read(const std::string& text, const std::string& name,
                                 std::int64_t repeat, AgentOrder base);

  Result<std::optional<AgentOrder>> next() override;
  std::int64_t count() const { return static_cast<std::int64_t>(tasks_.size()) * repeat_; }
  /// The request whose answer all runs take as their catalog.
  static std::string catalog_request(const std::string& name) { return name + ".catalog"; }

 private:
  struct Task {
    std::string id;
    std::string goal;
    Json vars;
  };
  AgentTasks(std::string name, std::int64_t repeat, AgentOrder base)
      : name_(std::move(name)), repeat_(repeat), base_(std::move(base)) {}

  std::string name_;
  std::int64_t repeat_ = 1;
  AgentOrder base_;
  std::deque<Task> tasks_;
  std::size_t at_ = 0;
  std::int64_t round_ = 1;
};

}  // namespace filecall::client
