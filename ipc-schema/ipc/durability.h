// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace filecall {

/// How much must be on stable storage before a publication counts as done.
///   full: the file's bytes and its directory entry. A power cut loses nothing that was seen.
///   file: the bytes only. After a power cut a name may be missing (the request runs again), never
///         torn.
///   none: nothing. For tests and tmpfs. Survives a killed process, not a power cut.
///   journal: bytes and name in a log, from which the worker's next start restores what a power cut
///         took from the published files. What only one source can do: what writes single files is
///         given one of the others.
enum class Durability : std::uint8_t { kFull, kFile, kNone, kJournal };
std::string_view to_string(Durability durability);
std::optional<Durability> parse_durability(std::string_view name);

}  // namespace filecall
