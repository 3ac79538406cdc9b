// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace filecall::client {

/// A request's text with that priority; unchanged when it states one of its own, when it is no
/// object, and when it would be longer than a request may be. The priority is within its limits.
/// Pure; any thread.
std::string with_priority(std::string_view text, int priority);

}  // namespace filecall::client
