// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/credential_names.h"
#include "worker/exec/kube/model/places.h"
#include "worker/exec/kube/model/redaction_rules.h"

namespace filecall::worker::kube {

/// Which values of an object are secret by their place in it, for the pass that learns them and the
/// pass that takes them out. Pure.

/// Whether the value is a text under a credential's name, and not only says where the credential
/// is.
bool is_hidden_member(std::string_view key, const Json& value, NamePlace place,
                      const RedactionRules& rules);
/// The value of a named pair ({"name", "value"}: an environment variable, a header) to be hidden;
/// null when the object is none. A programmer error for anything that is no object.
const Json* hidden_pair_value(const Json& object, const RedactionRules& rules);
/// Bytes that a value of a Secret stands for: `data` is base64, `stringData` is plain.
std::string secret_bytes(const Json& value, bool is_encoded);

/// Which values of a ConfigMap are releases that Helm stores there (Helm's ConfigMap storage):
/// packed, with all that the release's Secrets hold.
enum class HelmKeys : std::uint8_t { kNone, kRelease, kAll };
HelmKeys helm_keys_of(const Json& config_map);
/// Hides a value that is one. It is not looked for elsewhere: it is long, and stands nowhere else.
bool hide_helm_release(HelmKeys keys, std::string_view key, Json& value, Places& places);

/// Columns of a table of objects that have a credential's name; none when the body is no table. A
/// column "Secret" names one, as an annotation does.
std::vector<std::size_t> hidden_columns(const Json& body, const RedactionRules& rules);

}  // namespace filecall::worker::kube
