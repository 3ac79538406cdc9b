// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/response.h"

namespace filecall::worker::kube {

/// What may be said of a name that is not among those that are there: "; did you mean a, b?", or
/// those that are there when they are few, or nothing. Pure.
std::string near_names(std::string_view name, const std::vector<std::string>& names);

/// Adds that to a failure, and what is near as `error_details.nearest`. Pure.
void add_near_names(Failure& failure, std::string_view name, const std::vector<std::string>& names);

}  // namespace filecall::worker::kube
