// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace filecall::worker::llm {

/// The user ids of those who listen on that port of this machine's loopback addresses (or of all
/// addresses), as /proc/net/tcp and tcp6 list them. Pure.
std::vector<std::uint32_t> listener_uids(std::string_view table, std::uint16_t port);

/// Why a server on this machine must not be handed prompts only because it answers on a usual
/// port: anybody may listen there. Empty: it is root's or our own.
std::string distrust_of_listener(std::string_view base_url);

}  // namespace filecall::worker::llm
