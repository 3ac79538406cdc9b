// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace filecall {

/// Up to three of `names` that a person may have meant by `word`, nearest first: those that begin
/// with it (three letters and more) or have its ending ("echo" for "system.echo"), then those with
/// an edit distance of at most a third of the word, at least 2 for five letters and more, 1 for
/// fewer. Pure.
std::vector<std::string_view> nearest_names(std::string_view word,
                                            const std::vector<std::string_view>& names);

/// The first of them; empty when none is near. Pure.
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& names);

/// "; did you mean a, b?" or, when nothing is near, "; there is: <all names>"; "" without names.
std::string suggest(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace filecall
