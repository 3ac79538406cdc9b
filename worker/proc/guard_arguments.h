// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "worker/proc/child.h"

namespace filecall::worker {

/// What a child is, as its guard reads it (worker/proc/guard/options.h). Pure.
std::vector<std::string> guard_arguments(const std::string& guard, const ChildSpec& spec);

}  // namespace filecall::worker
