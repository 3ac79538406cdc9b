// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

namespace filecall::worker::kube {

/// Members of `metadata` that only the server writes, with every change: no change by themselves.
inline constexpr std::array kServerKept = std::to_array<std::string_view>(
    {"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"});

}  // namespace filecall::worker::kube
