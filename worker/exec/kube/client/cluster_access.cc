// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/cluster_access.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace filecall::worker::kube {
namespace {

Unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::kFailedPrecondition, std::move(message));
}

std::string_view mistake_of_cluster(const ClusterEntry& cluster) {
  if (cluster.server.empty()) return "no server found for cluster";
  if (!cluster.authority_file.empty() && !cluster.authority_data.empty()) {
    return "certificate-authority-data and certificate-authority are both specified for cluster";
  }
  const bool has_authority = !cluster.authority_file.empty() || !cluster.authority_data.empty();
  if (cluster.is_insecure && has_authority) {
    return "specifying a root certificates file with the insecure flag is not allowed for cluster";
  }
  return "";
}

std::string_view mistake_of_certificate(const UserEntry& user) {
  const bool has_certificate = !user.certificate_file.empty() || !user.certificate_data.empty();
  if (!has_certificate) return "";
  if (!user.certificate_file.empty() && !user.certificate_data.empty()) {
    return "client-cert-data and client-cert are both specified for user";
  }
  if (!user.key_file.empty() && !user.key_data.empty()) {
    return "client-key-data and client-key are both specified for user";
  }
  if (user.key_file.empty() && user.key_data.empty()) {
    return "client-key-data or client-key must be specified for user";
  }
  return "";
}

std::string_view mistake_of_exec(const UserEntry& user) {
  if (!user.exec) return "";
  const ExecEntry& exec = *user.exec;
  if (!user.auth_provider.empty()) return "authProvider cannot be provided with exec for user";
  if (exec.command.empty()) return "command must be specified to use exec for user";
  if (exec.api_version.empty()) return "apiVersion must be specified to use exec for user";
  constexpr std::string_view kVersions[] = {"client.authentication.k8s.io/v1",
                                            "client.authentication.k8s.io/v1beta1"};
  if (std::ranges::find(kVersions, exec.api_version) == std::end(kVersions)) {
    return "exec plugin: invalid apiVersion (v1 and v1beta1 are supported) for user";
  }
  for (const auto& [name, value] : exec.env) {
    if (name.empty()) return "env variable name must be specified to use exec for user";
  }
  if (exec.interactive_mode.empty() && exec.api_version.ends_with("/v1")) {
    return "interactiveMode must be specified to use exec authentication plugin for user";
  }
  constexpr std::string_view kModes[] = {"", "Never", "IfAvailable", "Always"};
  if (std::ranges::find(kModes, exec.interactive_mode) == std::end(kModes)) {
    return "interactiveMode must be Never, IfAvailable or Always for user";
  }
  if (exec.interactive_mode == "Always") {
    return "exec plugin: interactiveMode Always needs a terminal, which a worker has not; user";
  }
  return "";
}

std::string mistake_of_user(const UserEntry& user, const std::string& name) {
  std::vector<std::string_view> methods;
  if (!user.token.empty()) methods.emplace_back("token");
  if (!user.username.empty() || !user.password.empty()) methods.emplace_back("basicAuth");
  if (methods.size() > 1) {
    return fmt::format(
        "more than one authentication method found for {}; found [{}], only one is allowed", name,
        fmt::join(methods, " "));
  }
  for (const std::string_view mistake : {mistake_of_certificate(user), mistake_of_exec(user)}) {
    if (!mistake.empty()) return fmt::format("{} {}", mistake, name);
  }
  if (!user.auth_provider.empty()) {
    return fmt::format(
        "user {} has the auth-provider '{}', which this worker does not know; use an exec plugin "
        "(kubectl oidc-login for OIDC, gke-gcloud-auth-plugin, kubelogin) or a token",
        name, user.auth_provider);
  }
  const bool has_more = !user.as_uid.empty() || !user.as_groups.empty() || !user.as_extra.empty();
  if (user.as.empty() && has_more) {
    return fmt::format("requesting uid, groups or user-extra for {} without impersonating a user",
                       name);
  }
  return "";
}

std::string names_of(const Kubeconfig& config) {
  std::vector<std::string_view> names;
  for (const auto& [name, context] : config.contexts) names.push_back(name);
  return names.empty() ? "there is none" : fmt::format("there are {}", fmt::join(names, ", "));
}

}  // namespace

Result<std::string> normal_server(const std::string& server, bool is_tls) {
  std::string url = server.find("://") != std::string::npos
                        ? server
                        : fmt::format("{}://{}", is_tls ? "https" : "http", server);
  url.resize(std::min(url.find_first_of("?#"), url.size()));
  while (url.ends_with('/')) url.pop_back();
  const bool is_known = url.starts_with("https://") || url.starts_with("http://");
  const std::size_t host = url.find("://") + 3;
  const bool is_clean = std::ranges::all_of(url, [](char c) { return c > ' ' && c < 127; });
  if (!is_known || host >= url.size() || !is_clean || url.find('@') != std::string::npos) {
    return refuse("kubeconfig: the server must be an http or https URL without a user");
  }
  return url;
}

Result<ClusterAccess> choose_access(const Kubeconfig& config, std::string_view wanted) {
  const std::string name(wanted.empty() ? std::string_view(config.current_context) : wanted);
  if (name.empty()) {
    return refuse(fmt::format("kubeconfig: no current-context is set; name a context ({})",
                              names_of(config)));
  }
  const auto context = config.contexts.find(name);
  if (context == config.contexts.end()) {
    if (!wanted.empty()) {
      return fail(ErrorCode::kNotFound, fmt::format("kubeconfig: context \"{}\" does not exist; {}",
                                                    name, names_of(config)));
    }
    return refuse(fmt::format("kubeconfig: context was not found for specified context: {}; {}",
                              name, names_of(config)));
  }
  ClusterAccess access;
  access.context = name;
  if (!context->second.name_space.empty()) access.name_space = context->second.name_space;
  const auto cluster = config.clusters.find(context->second.cluster);
  if (cluster == config.clusters.end()) {
    return refuse(fmt::format("kubeconfig: context {}: cluster \"{}\" does not exist", name,
                              context->second.cluster));
  }
  access.cluster = cluster->second;
  if (const auto mistake = mistake_of_cluster(access.cluster); !mistake.empty()) {
    return refuse(fmt::format("kubeconfig: {} {}", mistake, cluster->first));
  }
  // A context without a user is anonymous.
  if (const auto user = config.users.find(context->second.user); user != config.users.end()) {
    access.user = user->second;
  } else if (!context->second.user.empty()) {
    return refuse(fmt::format("kubeconfig: context {}: auth info \"{}\" does not exist", name,
                              context->second.user));
  }
  if (const auto mistake = mistake_of_user(access.user, context->second.user); !mistake.empty()) {
    return refuse("kubeconfig: " + mistake);
  }
  const bool is_tls = access.cluster.is_insecure || !access.cluster.authority_file.empty() ||
                      !access.cluster.authority_data.empty() ||
                      !access.user.certificate_file.empty() ||
                      !access.user.certificate_data.empty();
  TRY_ASSIGN(access.server, normal_server(access.cluster.server, is_tls));
  return access;
}

}  // namespace filecall::worker::kube
