// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::client {

/// All texts of a value, names of members included, and its numbers as they are written: what a
/// report may speak of. Pure, as all here.
std::vector<std::string> texts_of(const Json& value);

/// What a report claims and nothing supports: each number, each word that is an identifier (it has
/// a digit, an inner '-', '_', '.', '/', ':', or an inner capital) and each quoted name ("...",
/// '...', `...`) which occurs in none of `results` as a whole, whatever its case. Numbers of a
/// list's items are none. In order, each once, at most 200. Names of several words are
/// searched for in 2 GiB of texts at most; what is left then is counted in a last entry.
std::vector<std::string> unsupported_claims(std::string_view report,
                                            const std::vector<std::string>& results);

}  // namespace filecall::client
