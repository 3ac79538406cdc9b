// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "worker/config/config.h"

namespace filecall::worker {

/// What the command line of filecall-worker asks for.
struct Options {
  enum class Action { kServe, kCheckConfig, kHelp, kVersion };
  Action action = Action::kServe;
  Config config;                ///< Defaults, then the configuration file, then the command line.
  std::string text;             ///< What to print for kHelp.
  bool prints_json = false;     ///< kCheckConfig: what was found, as one JSON object.
  bool has_tool_roots = false;  ///< tool.roots was said: it is not just where it was started.
  std::string refusal;  ///< The same of a configuration that is refused; empty: it is valid.
};

/// Reads the command line and, when it names one, the configuration file. `root_variable`: the
/// value of $FILECALL_ROOT or nullptr. `directory`: the current one (the default of tool.roots).
/// Failure: invalid_argument with what to write instead.
Result<Options> parse_options(int argc, const char* const* argv, const char* root_variable,
                              const std::string& directory);

}  // namespace filecall::worker
