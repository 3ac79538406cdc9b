// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall::client {

/// The id of the control request that cancels `attempt` of `id`: "{id}.cancel-{attempt}", or with a
/// hash in place of the id's end where that would be longer than an id may be. Pure.
std::string cancel_id(std::string_view id, int attempt);
/// The text of that request.
std::string cancel_request(std::string_view id, int attempt);

}  // namespace filecall::client
