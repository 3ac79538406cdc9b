// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "ipc/json.h"

namespace filecall::client {

/// Where paths in the arguments of a call lead through links, for CallToDecide::led_paths: as the
/// call has them → absolute, and beneath `from` where that is so. Only those that lead elsewhere
/// than their letters say. `from` is absolute; empty, or a path that cannot be looked at: nothing
/// is known of it. Blocks on the file system.
std::map<std::string, std::string> led_paths(const Json& args, const std::string& from);

/// A path without links, as far as it is there; itself when that cannot be seen. Blocks.
std::string path_without_links(const std::string& path);

}  // namespace filecall::client
