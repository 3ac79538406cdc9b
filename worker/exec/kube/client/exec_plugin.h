// SPDX-License-Identifier: MIT
#pragma once

#include <uv.h>

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/loop_timer.h"
#include "worker/exec/kube/client/exec_credential.h"
#include "worker/exec/kube/client/kubeconfig_files.h"
#include "worker/exec/kube/client/plugin_rules.h"
#include "worker/proc/child.h"

namespace filecall::worker::kube {

/// One run of a credential plugin, as the kubeconfig declares it: no shell, no terminal, nothing on
/// standard input, at most 1 MiB of output, under filecall-guard like every tool. Unlike a tool it
/// is given this process's environment, without the keys of language models (plugin_environment()).
/// Its standard error is never shown: it may hold anything. Loop thread only.
class PluginRun {
 public:
  using Done = std::function<void(Result<Credential>)>;

  /// `done` is called once from the loop, never from here; not after destruction, which ends the
  /// program. Failure: unauthenticated (no such program), else Child::start()'s.
  static Result<std::unique_ptr<PluginRun>> start(uv_loop_t* loop, const PluginRules& rules,
                                                  const ClusterAccess& access,
                                                  const std::string& authorities,
                                                  const Environment& environment, Done done);

 private:
  PluginRun(uv_loop_t* loop, const PluginRules& rules, const ExecEntry& exec, Done done);
  Result<Credential> judge(const ChildResult& result) const;

  ExecEntry exec_;
  Duration timeout_;
  Done done_;
  std::unique_ptr<Child> child_;
  LoopTimer timer_;
  bool is_late_ = false;
};

/// What a plugin finds in its environment: what PluginRules::inherits() of the worker's, then what
/// the kubeconfig sets for it, then KUBERNETES_EXEC_INFO (`info`). Pure.
Environment plugin_environment(const PluginRules& rules, const ExecEntry& exec,
                               const std::string& info, const Environment& environment);

/// The file that `command` names: itself when it has a slash, else the first executable in PATH.
Result<std::string> find_plugin(const ExecEntry& exec, const Environment& environment);

}  // namespace filecall::worker::kube
