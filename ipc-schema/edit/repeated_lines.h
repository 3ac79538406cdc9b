// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "edit/patch.h"

namespace filecall::edit {

/// For each added line the index of the removed line that it repeats, when a patch writes a line
/// that it leaves as it is with both signs. Indices ascend. Pure.
std::vector<std::optional<std::size_t>> repeated_lines(std::span<const PatchLine* const> removed,
                                                       std::span<const PatchLine* const> added);

}  // namespace filecall::edit
