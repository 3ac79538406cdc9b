// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/exec/executor.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker::kube {

/// What a run of a command is given.
struct KubeTask {
  std::shared_ptr<Cluster> cluster;
  KubeService& service;  ///< Lives as long as the worker, and so does its configuration.
  const Json& params;    ///< Fit the schema; until the run has been started.
  std::function<void(Outcome)> done;
  std::function<void()> yield_place;  ///< See ExecutionContext.
};

/// The executor of every kube command: chooses the cluster, then starts what the command is.
class KubeExecutor final : public Executor {
 public:
  using Start = std::function<std::unique_ptr<Execution>(KubeTask)>;

  KubeExecutor(CommandInfo info, std::shared_ptr<KubeService> service, Start start);

  const CommandInfo& info() const override { return info_; }
  Result<ExecutionPlan, Failure> plan(const Request& request) override;
  std::unique_ptr<Execution> start(const Request& request, const ExecutionContext& context,
                                   std::function<void(Outcome)> done) override;

 private:
  CommandInfo info_;
  std::shared_ptr<KubeService> service_;
  Start start_;
};

/// Makes a Run(KubeTask) and begins it; Run has a begin().
template <typename Run>
std::unique_ptr<Executor> make_kube_executor(CommandInfo info,
                                             std::shared_ptr<KubeService> service) {
  return std::make_unique<KubeExecutor>(std::move(info), std::move(service), [](KubeTask task) {
    auto run = std::make_unique<Run>(std::move(task));
    run->begin();
    return std::unique_ptr<Execution>(std::move(run));
  });
}

/// All kube commands. `schema_of` gives the schema of a command by its name.
std::vector<std::unique_ptr<Executor>> make_kube_commands(
    const std::shared_ptr<KubeService>& service,
    const std::function<std::string_view(std::string_view)>& schema_of);

}  // namespace filecall::worker::kube
