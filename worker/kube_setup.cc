// SPDX-License-Identifier: MIT
#include "worker/kube_setup.h"

#include <memory>
#include <vector>

#include "loop/event_loop.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/kube_service.h"

namespace filecall::worker {
namespace {

/// $XDG_CACHE_HOME or ~/.cache; empty: nothing is kept on disk.
std::string cache_directory(const std::map<std::string, std::string>& environment) {
  const auto variable = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
  };
  const std::string cache = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  if (cache.empty() && home.empty()) return "";
  return (cache.empty() ? home + "/.cache" : cache) + "/filecall/kube";
}

/// A question whose answer needs no right: which version the server has.
kube::ApiRequest version_request() {
  kube::ApiRequest request;
  request.path = "/version";
  request.timeouts = {seconds(5), seconds(5), seconds(5), seconds(10)};
  return request;
}

ContextCheck context_check(const kube::Cluster& cluster, const kube::ApiAnswer& answer) {
  ContextCheck check;
  check.name = cluster.access().context;
  check.server = cluster.access().server;
  if (!answer) {
    check.problem = answer.error().message;
    return check;
  }
  kube::ApiReply reply = *answer;
  check.version = text_member(reply.object(), "gitVersion");
  return check;
}

/// What the file names is as much the worker's own as the file: keys, and programs that it runs.
void add_own_files(const kube::Kubeconfig& kubeconfig, ToolConfig& tool) {
  for (const auto& [name, user] : kubeconfig.users) {
    for (const std::string* file : {&user.certificate_file, &user.key_file, &user.token_file}) {
      if (!file->empty()) tool.own_files.push_back(*file);
    }
    if (user.exec && user.exec->command.find('/') != std::string::npos) {
      tool.own_programs.push_back(user.exec->command);
    }
  }
}

}  // namespace

void complete_kube(Config& config, const std::map<std::string, std::string>& environment) {
  config.kube.plugins.guard = config.tool.guard;
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    config.kube.plugins.withheld.push_back(provider.api_key_env);
  }
  config.kube.cache_directory = cache_directory(environment);
  kube::KubeconfigFiles files(config.kube.kubeconfig, environment);
  for (const std::string& path : files.places().paths) config.tool.own_files.push_back(path);
  const auto kubeconfig = files.current();
  if (!kubeconfig) return;  // Every command will say why.
  add_own_files(**kubeconfig, config.tool);
  for (const auto& [name, context] : (*kubeconfig)->contexts) {
    DestinationLimits limits;
    limits.concurrency = config.kube.max_in_flight;
    // What the file says of a destination counts.
    config.destinations.try_emplace(kube::destination_of(name), limits);
  }
}

Result<std::vector<ContextCheck>> check_contexts(
    const Config& config, const std::map<std::string, std::string>& environment) {
  TRY_ASSIGN(const auto loop, EventLoop::open());
  const auto http = HttpClient::create(loop->get());
  kube::KubeService service(loop->get(), *http, config.kube, environment);
  TRY_ASSIGN(const std::vector<std::string> names, service.contexts());
  std::vector<ContextCheck> checks(names.size());
  std::vector<std::unique_ptr<kube::ApiCall>> calls;
  std::size_t left = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    auto chosen = service.choose(names[i]);
    if (!chosen) {
      checks[i].name = names[i];
      checks[i].problem = chosen.error().message;
      continue;
    }
    const auto cluster = *chosen;
    ++left;
    calls.push_back(cluster->make_call(version_request(), [&, i, cluster](const auto& answer) {
      checks[i] = context_check(*cluster, answer);
      --left;
    }));
    calls.back()->start();
  }
  loop->run_while([&] { return left > 0; });
  for (ContextCheck& check : checks) {
    for (const kube::ExecContext& entry : config.kube.exec) {
      if (entry.context == check.name) check.exec.push_back(entry);
    }
  }
  return checks;
}

}  // namespace filecall::worker
