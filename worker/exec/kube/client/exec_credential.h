// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "worker/exec/kube/client/cluster_access.h"
#include "worker/net/secret.h"

namespace filecall::worker::kube {

/// What a request is signed with.
struct Credential {
  Secret token;             ///< Bearer; empty: none.
  std::string certificate;  ///< PEM; empty: none.
  Secret key;
  std::optional<WallTime> expires_at;  ///< Absent: as long as the process.
};

/// The value of KUBERNETES_EXEC_INFO for a plugin. `authorities`: PEM text of the cluster's, when
/// the plugin wants to know the cluster. Pure.
std::string exec_info(const ClusterAccess& access, const std::string& authorities);

/// Reads what a plugin printed: one ExecCredential of exactly `api_version`, with a token or a key
/// pair or both. Pure. Failure: unauthenticated, in client-go's words; never repeats the output.
Result<Credential> parse_exec_credential(std::string_view output, const std::string& api_version);

}  // namespace filecall::worker::kube
