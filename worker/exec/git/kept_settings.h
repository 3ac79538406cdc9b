// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace filecall::worker::git {

/// Settings of a repository's configuration, as git writes them: the name in lower case, a
/// subsection as it is. The last one of equal names counts.
using Settings = std::map<std::string, std::string>;

/// Refuses a configuration that takes in other files (include.path, includeIf): they may lie
/// anywhere. Also refuses a text in which only such a section may stand. Failure:
/// permission_denied. Pure.
Result<void> check_no_includes(std::string_view text);

/// The settings that commands follow: how names, modes and line ends are, whose commits they are,
/// and what kind of repository it is. None of them names a program or another file, but
/// core.worktree, which is checked by itself. Pure.
Settings kept_settings(const Settings& settings);

/// A configuration file of them. Pure.
std::string settings_text(const Settings& settings);

/// Whether this version knows the repository's form. Failure: unimplemented. Pure.
Result<void> check_repository_form(const Settings& settings);

/// A setting that is there and true, as git reads it.
bool is_true(const Settings& settings, const std::string& name);

}  // namespace filecall::worker::git
