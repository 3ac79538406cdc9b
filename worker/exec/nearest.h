// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall::worker {

/// Up to three of `names` that a person may have meant by `word` (edit distance at most a third of
/// the word, at least 2 for five letters and more, 1 for fewer; or a common ending such as "echo"
/// for "system.echo"), nearest first. Pure.
std::vector<std::string_view> nearest_names(std::string_view word,
                                            const std::vector<std::string_view>& names);

/// "; did you mean a, b?" or, when nothing is near, "; there is: <all names>"; "" without names.
std::string suggest(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace filecall::worker
