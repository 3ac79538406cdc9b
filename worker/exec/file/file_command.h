// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/file/file_rules.h"

namespace filecall::worker::file {

/// What a command of this family works on.
struct FileJob {
  const Json& params;          ///< They fit the command's schema.
  const FileRules& rules;      ///< Within the bounds that the request sets itself (`beneath`).
  const FileRules& all_rules;  ///< Without these: for what a repository keeps elsewhere.
  const std::atomic<bool>& is_cancelled;  ///< Set: stop soon.
  const std::string& request_id;
  const std::string& changes_folder;  ///< Where sets of changes are recorded (worker/changes).
};

/// The work of one command. It blocks, on a thread of the pool; any number run at once.
using FileFunction = std::function<Outcome(const FileJob&)>;

/// What a request of a command does, where that depends on its params.
using EffectsFunction = std::function<Effects(const Json& params)>;

/// A command of the families `file` and `git`: its work is a function that runs on libuv's pool.
class FileCommand final : public Executor {
 public:
  /// `destination` is flow control's name of what it works on. Without `effects_of` every request
  /// has the effects of the command.
  FileCommand(uv_loop_t* loop, std::shared_ptr<const FileRules> rules, CommandInfo info,
              FileFunction work, std::string_view destination,
              EffectsFunction effects_of = nullptr);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  uv_loop_t* loop_;
  std::shared_ptr<const FileRules> rules_;
  CommandInfo info_;
  FileFunction work_;
  std::string destination_;
  EffectsFunction effects_of_;
};

/// All commands of the family. `schema_of` gives the schema of a command's params, which lives as
/// long as the process. Failure: invalid_argument, a pattern of the configuration.
Result<std::vector<std::unique_ptr<Executor>>> make_file_commands(
    uv_loop_t* loop, FileConfig config,
    const std::function<std::string_view(std::string_view)>& schema_of);

}  // namespace filecall::worker::file
