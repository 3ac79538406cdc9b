// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall::client {

/// What else a command could be written as, for rules that deny or prompt: git-push and git
/// send-pack are a git push, docker container run is a docker run, npm pub is an npm publish. The
/// options before the verb are left out. Pure; any thread.
std::vector<std::vector<std::string>> other_spellings(const std::vector<std::string>& words);

/// Git is given more aliases (-c alias.x=...) than are tried: it may be any command of git.
bool has_too_many_aliases(const std::vector<std::string>& words);

/// Whether one of its spellings has another program: git-push, npx.
bool may_be_other_program(std::string_view program);

/// The names of an option: -f and --force. `option` itself is one of them.
std::vector<std::string> option_spellings(std::string_view program, const std::string& option);

/// A word that is read as another one by the program: app:publish of gradle, deploy:deploy of mvn.
bool is_same_target(std::string_view program, std::string_view wanted, std::string_view word);

/// Its verb is none that is known here, or is shortened: an alias, a plugin, or what only the
/// program knows. Empty: the verb is known, or the program has none. Else the reason.
std::string unknown_verb(std::string_view program, const std::vector<std::string>& words);

}  // namespace filecall::client
