// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace filecall::client {

/// How texts that nobody vouches for are shown to judges. A text under judgement may try to close
/// the part it stands in and go on in the voice of the frame. Therefore each part stands between
/// markers with a code that is derived from all of the texts (SHA-256): who writes one of them
/// cannot know it, because it depends on what is written. Pure.

/// The code for these texts in a frame that `seed` stands for; none of them contains it.
std::string marker_code(std::string_view seed, std::span<const std::string> texts);
/// "<<PART code>>", the text and "<<END PART code>>", each on lines of its own.
std::string marked(std::string_view part, std::string_view code, std::string_view text);
}  // namespace filecall::client
