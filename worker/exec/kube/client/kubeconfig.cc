// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/kubeconfig.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/base64.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

/// Reads the members of one mapping; the first mistake is kept, later reads do nothing.
class Members {
 public:
  Members(const Json& object, std::string path, std::optional<std::string>& mistake)
      : object_(object), path_(std::move(path)), mistake_(mistake) {
    if (!object_.is_object() && !object_.is_null()) complain("", "must be a mapping");
  }

  const Json& at(const char* name) const {
    static const Json kNothing;
    if (!object_.is_object()) return kNothing;
    const auto found = object_.find(name);
    return found == object_.end() ? kNothing : *found;
  }
  std::string text(const char* name) {
    const Json& value = at(name);
    if (value.is_null()) return "";
    if (!value.is_string()) {
      complain(name, "must be a text; put it into quotes");
      return "";
    }
    return value.get<std::string>();
  }
  bool flag(const char* name) {
    const Json& value = at(name);
    if (!value.is_null() && !value.is_boolean()) complain(name, "must be true or false");
    return value.is_boolean() && value.get<bool>();
  }
  std::string base64(const char* name) {
    std::string encoded = text(name);
    // As Go's decoder, which skips line breaks.
    std::erase_if(encoded, [](char c) { return c == '\n' || c == '\r'; });
    auto bytes = base64_decode(encoded);
    if (!bytes) complain(name, "is not base64");
    return bytes.value_or("");
  }
  std::vector<std::string> texts(const char* name) { return texts_of(at(name), name); }
  std::vector<std::string> texts_of(const Json& list, const char* name) {
    std::vector<std::string> result;
    if (list.is_null()) return result;
    if (!list.is_array()) complain(name, "must be a list of texts");
    for (const Json& item : list) {
      if (!item.is_string()) {
        complain(name, "must be a list of texts");
        return {};
      }
      result.push_back(item.get<std::string>());
    }
    return result;
  }
  /// Calls `read` for every item of a list.
  void each(const char* name, const std::function<void(Members&)>& read) {
    const Json& list = at(name);
    if (!list.is_null() && !list.is_array()) return complain(name, "must be a list");
    std::size_t index = 0;
    for (const Json& item : list) {
      Members members(item, fmt::format("{}[{}]", path_of(name), index++), mistake_);
      read(members);
    }
  }
  Members inner(const char* name) { return Members(at(name), path_of(name), mistake_); }
  void complain(std::string_view name, std::string_view reason) {
    if (!mistake_) mistake_ = fmt::format("{}: {}", path_of(name), reason);
  }

 private:
  std::string path_of(std::string_view name) const {
    return name.empty() || path_.empty() ? path_ + std::string(name)
                                         : fmt::format("{}.{}", path_, name);
  }

  const Json& object_;
  std::string path_;
  std::optional<std::string>& mistake_;
};

std::string resolve_path(const std::string& directory, std::string path) {
  if (path.empty() || path.starts_with('/')) return path;
  return directory.empty() ? path : fmt::format("{}/{}", directory, path);
}

ClusterEntry read_cluster(Members members, const std::string& directory) {
  ClusterEntry cluster;
  cluster.server = members.text("server");
  cluster.tls_server_name = members.text("tls-server-name");
  cluster.is_insecure = members.flag("insecure-skip-tls-verify");
  cluster.authority_file = resolve_path(directory, members.text("certificate-authority"));
  cluster.authority_data = members.base64("certificate-authority-data");
  cluster.proxy_url = members.text("proxy-url");
  cluster.is_compression_disabled = members.flag("disable-compression");
  members.each("extensions", [&](Members& extension) {
    if (extension.text("name") == kExecExtension) cluster.exec_config = extension.at("extension");
  });
  return cluster;
}

ExecEntry read_exec(Members members, const std::string& directory) {
  ExecEntry exec;
  exec.api_version = members.text("apiVersion");
  exec.command = members.text("command");
  // A bare name is searched in PATH.
  if (exec.command.find('/') != std::string::npos) {
    exec.command = resolve_path(directory, std::move(exec.command));
  }
  exec.args = members.texts("args");
  members.each("env", [&](Members& variable) {
    exec.env.emplace_back(variable.text("name"), variable.text("value"));
  });
  exec.install_hint = members.text("installHint");
  exec.wants_cluster = members.flag("provideClusterInfo");
  exec.interactive_mode = members.text("interactiveMode");
  return exec;
}

UserEntry read_user(Members members, const std::string& directory) {
  UserEntry user;
  user.certificate_file = resolve_path(directory, members.text("client-certificate"));
  user.certificate_data = members.base64("client-certificate-data");
  user.key_file = resolve_path(directory, members.text("client-key"));
  user.key_data = Secret(members.base64("client-key-data"));
  user.token = Secret(members.text("token"));
  user.token_file = resolve_path(directory, members.text("tokenFile"));
  user.username = members.text("username");
  user.password = Secret(members.text("password"));
  user.as = members.text("as");
  user.as_uid = members.text("as-uid");
  user.as_groups = members.texts("as-groups");
  const Json& extra = members.at("as-user-extra");
  if (extra.is_object()) {
    for (const auto& [name, values] : extra.items()) {
      user.as_extra.emplace_back(name, members.texts_of(values, "as-user-extra"));
    }
  } else if (!extra.is_null()) {
    members.complain("as-user-extra", "must be a mapping of lists");
  }
  if (!members.at("auth-provider").is_null()) {
    user.auth_provider = members.inner("auth-provider").text("name");
  }
  if (!members.at("exec").is_null()) user.exec = read_exec(members.inner("exec"), directory);
  return user;
}

ContextEntry read_context(Members members) {
  ContextEntry context;
  context.cluster = members.text("cluster");
  context.user = members.text("user");
  context.name_space = members.text("namespace");
  return context;
}

template <typename Entry, typename Read>
void read_list(Members& top, const char* list, const char* member,
               std::map<std::string, Entry, std::less<>>& into, Read read) {
  top.each(list, [&](Members& named) {
    const std::string name = named.text("name");
    if (!into.emplace(name, read(named.inner(member))).second) {
      named.complain("name", fmt::format("'{}' is given twice", name));
    }
  });
}

}  // namespace

Result<Kubeconfig> parse_kubeconfig(const Json& document, const std::string& directory,
                                    const std::string& file) {
  std::optional<std::string> mistake;
  Members top(document, "", mistake);
  Kubeconfig config;
  if (const std::string kind = top.text("kind"); !kind.empty() && kind != "Config") {
    top.complain("kind", fmt::format("is '{}' and not Config", kind));
  }
  if (const std::string version = top.text("apiVersion"); !version.empty() && version != "v1") {
    top.complain("apiVersion", fmt::format("is '{}' and not v1", version));
  }
  read_list(top, "clusters", "cluster", config.clusters,
            [&](Members members) { return read_cluster(std::move(members), directory); });
  read_list(top, "users", "user", config.users,
            [&](Members members) { return read_user(std::move(members), directory); });
  read_list(top, "contexts", "context", config.contexts, read_context);
  config.current_context = top.text("current-context");
  if (mistake) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("kubeconfig {}: {}", file, *mistake));
  }
  return config;
}

Kubeconfig merge_kubeconfigs(std::vector<Kubeconfig> files) {
  Kubeconfig merged;
  for (Kubeconfig& file : files) {
    merged.clusters.merge(file.clusters);
    merged.users.merge(file.users);
    merged.contexts.merge(file.contexts);
    if (merged.current_context.empty()) merged.current_context = std::move(file.current_context);
  }
  return merged;
}

}  // namespace filecall::worker::kube
