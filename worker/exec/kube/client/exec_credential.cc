// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/exec_credential.h"

#include <fmt/core.h>

#include "base/base64.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

Unexpected<Error> bad_output(std::string_view reason) {
  return fail(ErrorCode::kUnauthenticated, fmt::format("exec plugin: {}", reason));
}

Json cluster_info(const ClusterAccess& access, const std::string& authorities) {
  const ClusterEntry& cluster = access.cluster;
  Json info{{"server", cluster.server}, {"config", cluster.exec_config}};
  if (!cluster.tls_server_name.empty()) info["tls-server-name"] = cluster.tls_server_name;
  if (cluster.is_insecure) info["insecure-skip-tls-verify"] = true;
  if (!authorities.empty()) info["certificate-authority-data"] = base64_encode(authorities);
  if (!cluster.proxy_url.empty()) info["proxy-url"] = cluster.proxy_url;
  if (cluster.is_compression_disabled) info["disable-compression"] = true;
  return info;
}

}  // namespace

std::string exec_info(const ClusterAccess& access, const std::string& authorities) {
  Json spec{{"interactive", false}};
  if (access.user.exec->wants_cluster) spec["cluster"] = cluster_info(access, authorities);
  return dump_json(Json{{"kind", "ExecCredential"},
                        {"apiVersion", access.user.exec->api_version},
                        {"spec", std::move(spec)}});
}

Result<Credential> parse_exec_credential(std::string_view output, const std::string& api_version) {
  const auto json = parse_foreign(output);
  if (!json || !json->is_object()) return bad_output("decoding stdout: it is not a JSON object");
  if (text_member(*json, "kind") != "ExecCredential") {
    return bad_output("decoding stdout: its kind is not ExecCredential");
  }
  if (text_member(*json, "apiVersion") != api_version) {
    return bad_output(
        fmt::format("exec plugin is configured to use API version {}, plugin returned another one",
                    api_version));
  }
  const Json& status = member(*json, "status");
  if (!status.is_object()) return bad_output("exec plugin didn't return a status field");
  Credential credential;
  credential.token = Secret(text_member(status, "token"));
  credential.certificate = text_member(status, "clientCertificateData");
  credential.key = Secret(text_member(status, "clientKeyData"));
  if (credential.token.empty() && credential.certificate.empty() && credential.key.empty()) {
    return bad_output("exec plugin didn't return a token or cert/key pair");
  }
  if (credential.certificate.empty() != credential.key.empty()) {
    return bad_output("exec plugin returned only certificate or key, not both");
  }
  if (const std::string until = text_member(status, "expirationTimestamp"); !until.empty()) {
    credential.expires_at = parse_rfc3339(until);
    if (!credential.expires_at) return bad_output("expirationTimestamp is not RFC 3339");
  }
  return credential;
}

}  // namespace filecall::worker::kube
