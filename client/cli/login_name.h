// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace filecall::client {

/// Who decides here: $USER, else the name of the process's user, else its number.
std::string login_name();

}  // namespace filecall::client
