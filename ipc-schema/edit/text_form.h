// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "edit/text_lines.h"

namespace filecall::edit {

/// New content in the form of the old: with the old one's line ends, a byte order mark when the old
/// has one, and a final newline or none as the old has. Where the old one's lines end in both ways,
/// a line that did not change keeps its end, one that replaces another takes that one's, and one
/// that is added ends as a line beside it does. New content that itself ends its lines in both ways
/// says how each of them ends: its ends stay. Pure; any thread.
std::string in_form_of(std::string_view old_content, std::string_view new_content);

/// New content with a final newline, or none, as the old has; an empty one has no form. Pure.
std::string with_final_newline_of(std::string_view old_content, std::string out);

/// Each LF, with the CR before it if there is one, becomes this end. Pure.
std::string with_ends(std::string_view text, LineEnd end);

}  // namespace filecall::edit
