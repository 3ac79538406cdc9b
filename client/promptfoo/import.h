// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "client/promptfoo/import_files.h"
#include "client/promptfoo/import_notes.h"

namespace filecall::client {

/// What a configuration of promptfoo became.
struct ImportedConfig {
  std::map<std::string, std::string> files{};  ///< By their paths below the output directory.
  std::int64_t prompts = 0;
  std::int64_t models = 0;
  std::int64_t rows = 0;
  std::int64_t graders = 0;
  ImportNotes notes{};
};

struct ImportOptions {
  std::string judge{};  ///< PROVIDER/MODEL for rubrics whose model is not named; empty: none.
};

/// Reads a promptfooconfig.yaml and makes prompts, a table of rows, a file of models, a
/// specification of graders and a script that runs them. What was not taken is in the notes, each
/// with its place; nothing is left out silently. Pure but for `files`. Failures: invalid_argument,
/// the file is not YAML, or no mapping.
Result<ImportedConfig> import_promptfoo(const std::string& text, const std::string& file_name,
                                        const ImportOptions& options, ImportFiles& files);

/// {"prompts": 2, ..., "not_taken": [...]}: as `filecall schema import` describes.
Json import_json(const ImportedConfig& imported);

}  // namespace filecall::client
