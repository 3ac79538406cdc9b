// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/error.h"
#include "spool/root.h"

namespace filecall::client {

/// The not_found for an id that no request of the root has. Names up to three ids that begin with
/// it: an id that was derived from a row begins with the row's name. If the latest run lists it, it
/// says so, and whom it waits for. Reads the names in requests/, and that run's list.
Error unknown_request(const spool::Root& root, std::string_view id);

}  // namespace filecall::client
