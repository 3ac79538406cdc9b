// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/config/config.h"

namespace filecall::worker {

/// Reads the YAML configuration. Failure: invalid_argument listing every mistake, one a line, each
/// "file:line:column: key: what it must be". `file_name` stands in the messages.
Result<Config> read_config(const std::string& yaml, const std::string& file_name);
/// The same from a file (at most 1 MiB). Relative paths in it are taken as they are; "~/" at their
/// beginning is $HOME.
Result<Config> read_config_file(const std::string& path);
/// Paths of the configuration that begin with "~/", below `home` (empty: they stay). Pure.
void expand_home(Config& config, const std::string& home);

/// debug, info, warn, error.
std::optional<LogLevel> parse_log_level(std::string_view name);

}  // namespace filecall::worker
