// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall {

/// The member where it is a string; empty where it is missing or of another type, or where `object`
/// is no object: what another version or another program wrote reads as nothing.
std::string string_member(const Json& object, std::string_view name);

}  // namespace filecall
