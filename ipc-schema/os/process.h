// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace filecall {

/// The kernel's id of this boot (/proc/sys/kernel/random/boot_id); empty if unreadable. A pid means
/// something only together with it.
std::string boot_id();
/// Directory of the running program (/proc/self/exe), for finding the programs installed beside it.
std::string executable_directory();
/// A seed from the kernel's generator (getrandom).
std::uint64_t random_seed();
/// Keeps this process's memory out of core files and from being read by others of the same user
/// (PR_SET_DUMPABLE): it may hold keys, and texts that are nobody else's. The soft limit on core
/// files is set to 0 as well, also for programs that it starts, which may raise it again.
void forbid_core_dumps();
/// Raises the soft limit of open descriptors to `wanted`, or as near as the hard limit lets it.
void raise_descriptor_limit(std::size_t wanted);
/// The machine's name; "localhost" when it has none.
std::string host_name();
/// "<hostname>-<pid>-<8 hex digits>": names one run of one program.
std::string make_instance_id();

}  // namespace filecall
