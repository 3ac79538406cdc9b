// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"
#include "worker/exec/kube/model/credential_names.h"

namespace filecall::worker::kube {

/// Which values of an object are secret by their place in it, for the pass that learns them and the
/// pass that takes them out. Pure.

/// Whether the value is a text under a credential's name, and not only says where the credential
/// is.
bool is_hidden_member(std::string_view key, const Json& value, NamePlace place);
/// The value of a named pair ({"name", "value"}: an environment variable, a header) to be hidden;
/// null when the object is none. A programmer error for anything that is no object.
const Json* hidden_pair_value(const Json& object);
/// Bytes that a value of a Secret stands for: `data` is base64, `stringData` is plain.
std::string secret_bytes(const Json& value, bool is_encoded);

}  // namespace filecall::worker::kube
