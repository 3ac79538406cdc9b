// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::client {

/// Members of a record, which may have been written by another version: what is missing or of
/// another type reads as nothing.
std::string text_at(const Json& object, std::string_view name);
std::int64_t number_at(const Json& object, std::string_view name, std::int64_t otherwise = 0);
double real_at(const Json& object, std::string_view name);
bool flag_at(const Json& object, std::string_view name, bool otherwise = false);
std::vector<std::string> texts_at(const Json& object, std::string_view name);
/// A null when it is missing.
const Json& value_at(const Json& object, std::string_view name);

}  // namespace filecall::client
