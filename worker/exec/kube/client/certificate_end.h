// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace filecall::worker::kube {

/// When the first certificate of a PEM text ends to be valid; nullopt when there is none. Pure.
std::optional<WallTime> certificate_end(const std::string& pem);

}  // namespace filecall::worker::kube
