// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::worker::kube {

/// How Helm 3 keeps releases: each revision in a Secret (or ConfigMap) of its own, as the base64 of
/// gzip of JSON. All pure.

/// What the name of such an object says ("sh.helm.release.v1.shop.v7"); nullopt: it is none.
struct HelmObjectName {
  std::string release;
  std::int64_t revision = 0;
  bool operator==(const HelmObjectName&) const = default;
};
std::optional<HelmObjectName> parse_helm_object_name(std::string_view name);

/// The JSON text of a release as it stands there (for a Secret: after the base64 that every Secret
/// has). Failure: invalid_argument, when it is none, or would have more than `bytes_max` bytes:
/// what is packed is never believed to be small.
Result<std::string> unpack_helm_release(std::string_view packed, std::size_t bytes_max);

/// What of a release is of use. Nothing is hidden yet.
struct HelmRelease {
  Json summary;  ///< name, namespace, revision, status, chart, chartVersion, appVersion, ...
  Json values;   ///< Those that were given; an object.
  std::vector<Json> objects;     ///< Of its manifest and its hooks, as they were sent.
  std::size_t unreadable = 0;    ///< Documents of these that are no YAML, or too large.
  bool may_hide_secret = false;  ///< One of those may be a Secret, whose values nobody knows then.
};
HelmRelease read_helm_release(const Json& release);

}  // namespace filecall::worker::kube
