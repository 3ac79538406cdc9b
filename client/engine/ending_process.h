// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string_view>

namespace filecall::client {

/// What proc(5) says of a process that ends: it was sent a SIGKILL that it has not taken yet, it
/// exits, or it is a zombie. `stat` and `status` are the texts of these files. Pure.
bool says_ending(std::string_view stat, std::string_view status);

/// The same of a process that is there. Such one holds its locks for some milliseconds yet.
bool is_ending(pid_t pid);

}  // namespace filecall::client
