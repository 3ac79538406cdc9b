// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {

/// The Helm release that a stored object holds (`body` is a Secret or ConfigMap as it came):
/// {"name", "namespace", "revision", "status", "chart", "chartVersion", "appVersion",
/// "description", "firstDeployed", "lastDeployed", "values", "objects": [{"apiVersion", "kind",
/// "name", "namespace"?, "hook"?}], "unreadable"?, "valuesHidden"?}, as far as it says so.
/// `redactor` hides what is secret: what the Secrets of its manifest hold is known by then, and
/// values are left out when a Secret among them cannot be read. Failure: invalid_argument, when it
/// holds no release. Pure.
Result<Json> open_helm_release(std::string_view body, bool is_secret, Redactor& redactor);

}  // namespace filecall::worker::kube
