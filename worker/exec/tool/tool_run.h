// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/tool/tool_call.h"
#include "worker/exec/tool/tool_config.h"
#include "worker/exec/tool/tool_sandbox.h"

namespace filecall::worker {

/// tool.run: a program that the configuration allows, or a tool that it declares. Never a shell.
/// Nothing of it survives its end, a cancel, a time-out or the worker's death (proc/child.h).
class ToolRun final : public Executor {
 public:
  /// `schema`: of its params; must outlive it. Reads the environment and the current directory;
  /// asks the guard for what this machine protects when a sandbox is configured. Failures:
  /// unimplemented (a required protection is missing), failed_precondition (a root that no sandbox
  /// can have, no guard), invalid_argument (a declared tool, a setting), errno's when the current
  /// directory is gone and no root is configured.
  static Result<std::unique_ptr<ToolRun>> create(uv_loop_t* loop, ToolConfig config,
                                                 std::string_view schema);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

  /// Protections that the configuration asks for and this machine lacks.
  const std::vector<std::string>& missing_protections() const { return sandbox_.missing; }
  /// What confines every program of it.
  const ToolSandbox& sandbox() const { return sandbox_; }
  /// tool.sandbox of the configuration.
  const std::string& sandbox_level() const { return config_.sandbox; }
  /// The declared tools, for system.describe.
  Json describe_tools() const { return tools_.describe(); }

 private:
  ToolRun(uv_loop_t* loop, ToolConfig config, ToolTable tools, ToolSandbox sandbox,
          std::string_view schema);

  Result<ChildSpec> make_spec(const ToolCall& call, const Request& request) const;
  /// Looked for at the first use, so that a worker without it still answers other commands.
  Result<std::shared_ptr<GuardServer>> guards();

  CommandInfo info_;
  uv_loop_t* loop_;
  ToolConfig config_;
  ToolTable tools_;
  ToolSandbox sandbox_;
  std::string groups_;  ///< ChildSpec::group of each run.
  std::map<std::string, std::string> environment_;
  std::shared_ptr<GuardServer> guards_;
};

}  // namespace filecall::worker
