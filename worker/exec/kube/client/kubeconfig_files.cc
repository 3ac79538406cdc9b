// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/kubeconfig_files.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/take_until.h"
#include "os/io.h"
#include "worker/exec/kube/client/kubeconfig_document.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kFileBytesMax = 8 * 1024 * 1024;

std::string variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

Result<Kubeconfig> load_file(const std::string& path) {
  TRY_ASSIGN(const std::string text, read_file(path, kFileBytesMax));
  TRY_ASSIGN(const Json document, read_kubeconfig_text(text, path));
  return parse_kubeconfig(document, directory_of(path), path);
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

/// The configuration that client-go makes for a pod; empty outside of one.
Kubeconfig in_cluster(const Environment& environment, const std::string& account) {
  const std::string host = variable(environment, "KUBERNETES_SERVICE_HOST");
  const std::string port = variable(environment, "KUBERNETES_SERVICE_PORT");
  const std::string token = account + "/token";
  Kubeconfig config;
  if (host.empty() || port.empty() || !exists(token)) return config;
  const char* const kName = "in-cluster";
  ClusterEntry& cluster = config.clusters[kName];
  const bool is_ipv6 = host.find(':') != std::string::npos;
  cluster.server = is_ipv6 ? fmt::format("https://[{}]:{}", host, port)
                           : fmt::format("https://{}:{}", host, port);
  if (exists(account + "/ca.crt")) cluster.authority_file = account + "/ca.crt";
  config.users[kName].token_file = token;
  ContextEntry& context = config.contexts[kName];
  context.cluster = context.user = config.current_context = kName;
  context.name_space = variable(environment, "POD_NAMESPACE");
  if (context.name_space.empty()) {
    context.name_space = read_file(account + "/namespace", 4096).value_or("");
    std::erase_if(context.name_space, [](char c) { return c == '\n' || c == ' ' || c == '\r'; });
  }
  return config;
}

}  // namespace

KubeconfigPlaces find_kubeconfigs(const std::string& configured, const Environment& environment) {
  if (!configured.empty()) return {{configured}, true};
  KubeconfigPlaces places;
  const std::string list = variable(environment, "KUBECONFIG");
  for (std::string_view rest = list; !rest.empty();) {
    const std::string path(take_until(&rest, ':'));
    const bool is_new = std::ranges::find(places.paths, path) == places.paths.end();
    if (!path.empty() && is_new) places.paths.push_back(path);
  }
  const std::string home = variable(environment, "HOME");
  if (list.empty() && !home.empty()) places.paths.push_back(home + "/.kube/config");
  return places;
}

Result<Kubeconfig> load_kubeconfigs(const KubeconfigPlaces& places, const Environment& environment,
                                    const std::string& account) {
  std::vector<Kubeconfig> files;
  for (const std::string& path : places.paths) {
    if (!places.must_exist && !exists(path)) continue;
    TRY_ASSIGN(Kubeconfig file, load_file(path));
    files.push_back(std::move(file));
  }
  Kubeconfig merged = merge_kubeconfigs(std::move(files));
  return merged.is_empty() ? in_cluster(environment, account) : std::move(merged);
}

KubeconfigFiles::KubeconfigFiles(const std::string& configured, Environment environment)
    : places_(find_kubeconfigs(configured, environment)), environment_(std::move(environment)) {}

std::string KubeconfigFiles::signature() const {
  std::string text = "files";
  for (const std::string& path : places_.paths) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) info = {};
    text += fmt::format(" {}.{}.{}.{}", info.st_ino, info.st_size, info.st_mtim.tv_sec,
                        info.st_mtim.tv_nsec);
  }
  return text;
}

Result<const Kubeconfig*> KubeconfigFiles::current() {
  std::string now = signature();
  if (now != signature_) {
    TRY_ASSIGN(config_, load_kubeconfigs(places_, environment_));
    signature_ = std::move(now);
    ++version_;
  }
  return &config_;
}

}  // namespace filecall::worker::kube
