// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "edit/patch.h"

namespace filecall::client {

/// The content that hunks were made for, out of the content that they make, each where it states
/// that it is. nullopt: they do not make that content. Failure: failed_precondition, it is no text.
/// Pure.
Result<std::optional<std::string>> content_before(std::string_view after,
                                                  const std::vector<edit::PatchHunk>& hunks);

}  // namespace filecall::client
