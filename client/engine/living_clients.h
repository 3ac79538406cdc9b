// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "spool/layout.h"

namespace filecall::client {

/// How many clients drive requests of the root now: those that hold a lock in `client/locks/`. One
/// that began with `role_left_out` (see OwnerLock) does not count; empty: all count. Locks that
/// cannot be looked at do not count either.
std::int64_t count_living_clients(const spool::Layout& layout, std::string_view role_left_out = {});

}  // namespace filecall::client
