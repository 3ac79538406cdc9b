// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "ipc/json.h"
#include "spool/layout.h"

namespace filecall::client {

/// The metadata in the request's file; null when there is none.
Json request_metadata(const spool::Layout& layout, const std::string& request_id);

}  // namespace filecall::client
