// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/request.h"
#include "ipc/schema_validator.h"
#include "ipc/worker_status.h"
#include "worker/exec/cancel_target.h"
#include "worker/exec/executor.h"
#include "worker/exec/file/file_config.h"
#include "worker/exec/kube/kube_config.h"
#include "worker/exec/llm/llm_config.h"
#include "worker/exec/tool/tool_config.h"
#include "worker/net/http_client.h"

namespace filecall::worker {

/// A request that may run: who runs it, and on what terms.
struct Prepared {
  Executor* executor = nullptr;  ///< Lives as long as the registry.
  ExecutionPlan plan;
};

/// The commands of this worker: an explicit table. Checks each request against its command's schema
/// (compiled once). Loop thread only; every execution must have ended before it is destroyed.
class Registry {
 public:
  /// All commands. Failures: those of ToolRun::create and make_file_commands.
  static Result<std::unique_ptr<Registry>> create(uv_loop_t* loop, const ToolConfig& tools,
                                                  const llm::LlmConfig& models,
                                                  const kube::KubeConfig& clusters = {},
                                                  const file::FileConfig& files = {});

  /// An empty table, for tests; add() fills it.
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Failure: the executor's schema is not one. Two executors of one name are a programmer error.
  Result<void> add(std::unique_ptr<Executor> executor);
  /// Must be called before a system.cancel is started; the target must outlive the registry's use.
  void set_cancel_target(CancelTarget& target) { cancel_target_ = &target; }

  /// Null for an unknown command.
  Executor* find(std::string_view command) const;
  /// Failures: unimplemented (unknown command; names the nearest ones), invalid_argument (names
  /// "/params/..." and the rule), and whatever the executor's plan() refuses.
  Result<Prepared, Failure> prepare(const Request& request) const;
  /// See CommandInfo; false for an unknown command.
  bool may_repeat(const Request& request) const;
  /// Sorted by name.
  std::vector<const CommandInfo*> commands() const;
  /// What system.describe answers: {"commands": [...], "tools": [...], "tool_sandbox": {...}, ...}.
  Json describe() const;
  /// Destinations that do not work, as their executors know it now.
  std::vector<DestinationProblem> problems() const;
  /// Protections that the configuration asks for and this machine lacks.
  const std::vector<std::string>& missing_protections() const { return missing_protections_; }
  /// What confines the programs of tool.run; nullopt: there is no such command.
  const std::optional<ToolConfinement>& tool_sandbox() const { return tool_sandbox_; }
  /// What paths of file.* and git.* are relative to; empty: there are no such commands.
  const std::string& file_directory() const { return file_directory_; }

 private:
  struct Entry {
    std::unique_ptr<Executor> executor;
    std::unique_ptr<SchemaValidator> validator;  ///< Null: any object will do.
  };

  /// What all executors call with; its calls have ended when it is destroyed.
  std::unique_ptr<HttpClient> http_;
  std::map<std::string, Entry, std::less<>> entries_;
  CancelTarget* cancel_target_ = nullptr;
  Json tools_ = Json::array();
  std::vector<std::string> missing_protections_;
  std::optional<ToolConfinement> tool_sandbox_;
  std::string file_directory_;
  std::string tool_directory_;  ///< Where tool.run works when a request does not say it.
};

}  // namespace filecall::worker
