// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "client/core/request_progress.h"
#include "ipc/response.h"

namespace filecall::client {

/// The client's own answer for a request that was given up without one. Pure.
Response own_failure(std::string_view id, const RequestProgress& progress);

}  // namespace filecall::client
