// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/batch/request_matrix.h"

namespace filecall::client {

/// Reads a YAML (or JSON) file of models: `models`, a list of {model, provider, name, params}.
/// Pure. Failure: invalid_argument, with file, line and column of what is wrong.
Result<std::vector<ModelChoice>> parse_model_file(const std::string& text,
                                                  const std::string& file_name);
/// The same from a path. Failures: also the file's.
Result<std::vector<ModelChoice>> load_model_file(const std::string& path);

}  // namespace filecall::client
