// SPDX-License-Identifier: MIT
// kubeconfig files, and what credential plugins print. Any text is a configuration or has a mistake
// that names the file; each of its contexts is an address in its normal form or has a mistake; no
// message repeats what a plugin printed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"
#include "worker/exec/kube/client/cluster_access.h"
#include "worker/exec/kube/client/exec_credential.h"
#include "worker/exec/kube/client/kubeconfig.h"
#include "worker/exec/kube/client/kubeconfig_document.h"

namespace {

using namespace filecall;
namespace kube = filecall::worker::kube;

constexpr std::string_view kPrinted = "pr1nted-by-the-plugin";

void check_access(const kube::Kubeconfig& config, std::string_view context) {
  const auto access = kube::choose_access(config, context);
  if (!access) {
    CHECK(!access.error().message.empty(), "a refusal has a reason");
    return;
  }
  CHECK(access->server.starts_with("http://") || access->server.starts_with("https://"),
        "an address has a scheme");
  CHECK(!access->server.ends_with('/'), "and no slash at its end");
  const auto again = kube::normal_server(access->server, access->has_tls());
  CHECK(again && *again == access->server, "a normal form is its own");
  if (!access->user.exec) return;
  CHECK(is_valid_utf8(kube::exec_info(*access, "")), "a plugin can be told");
}

void check_plugin(std::string_view output) {
  const auto credential = kube::parse_exec_credential(output, "client.authentication.k8s.io/v1");
  if (!credential) {
    CHECK(credential.error().message.find(kPrinted) == std::string::npos, "no output is repeated");
    CHECK(is_valid_utf8(credential.error().message), "a refusal can be sent");
    return;
  }
  CHECK(!credential->token.empty() || !credential->certificate.empty(), "there is a credential");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_plugin(text);
  const auto document = kube::read_kubeconfig_text(text, "config");
  if (!document) {
    CHECK(document.error().message.find("config") != std::string::npos, "a mistake names the file");
    return 0;
  }
  auto config = kube::parse_kubeconfig(*document, "/home/me/.kube", "config");
  if (!config) {
    CHECK(config.error().message.find("config") != std::string::npos, "a mistake names the file");
    return 0;
  }
  for (const auto& [name, cluster] : config->clusters) {
    CHECK(cluster.authority_file.empty() || cluster.authority_file.starts_with('/'),
          "a path has its directory");
  }
  check_access(*config, "");
  for (const auto& [name, context] : config->contexts) check_access(*config, name);
  kube::Kubeconfig once = *config;
  const kube::Kubeconfig twice = kube::merge_kubeconfigs({once, std::move(*config)});
  CHECK(twice.contexts.size() == once.contexts.size() &&
            twice.current_context == once.current_context,
        "a file adds nothing to itself");
  return 0;
}
