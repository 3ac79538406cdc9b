// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"
#include "worker/exec/git/git_handles.h"
#include "worker/exec/git/kept_settings.h"

namespace filecall::worker::git {

/// All settings of a configuration's text, which takes in no other files (check_no_includes).
/// Failure: failed_precondition, it is none; the message quotes nothing of it. Any thread,
/// after prepare_git_library().
Result<Settings> parse_settings(std::string_view text);

/// The settings as libgit2 has them: of these alone, and read once.
Result<ConfigHandle> make_config(const Settings& settings);

}  // namespace filecall::worker::git
