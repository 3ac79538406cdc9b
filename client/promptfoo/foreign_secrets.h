// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::client {

/// Whether a setting of this name holds a credential: a word of it says so (password, secret,
/// apiKey, Authorization), and its last word does not say that only a name or a file follows. Pure,
/// as all here.
bool is_secret_name(std::string_view name);

/// The text without the user and the password of each address in it, and without the parameters
/// of its query that hold a key.
std::string without_address_secrets(std::string_view text);

/// A value of a configuration without its secrets.
struct CleanValue {
  Json value;
  std::vector<std::string> left_out{};  ///< Where they stood: "passthrough.headers.Authorization".
};

/// Leaves out the members whose names or texts say that they are credentials, at any depth, and the
/// secrets of addresses. Names that a JSON Schema declares (below `properties`) are none. `path`:
/// what the value is called.
CleanValue without_secrets(const Json& value, const std::string& path);

}  // namespace filecall::client
