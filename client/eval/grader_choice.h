// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/eval/spec.h"
#include "ipc/json.h"

namespace filecall::client {

/// The graders that are for one row.
struct GraderChoice {
  std::vector<std::size_t> graders{};  ///< Indices in EvalSpec::graders, in that order.
  /// Why the row cannot be graded: none is for it, or it names one that there is not. Then
  /// `graders` is empty.
  std::string problem{};
};

/// Those whose conditions hold for these metadata and, where the specification has `graders_var`,
/// that the row names there. Pure.
GraderChoice choose_graders(const EvalSpec& spec, const Json& metadata);

}  // namespace filecall::client
