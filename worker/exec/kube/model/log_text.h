// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace filecall::worker::kube {

/// A program's output as text for people and models: terminal sequences and control characters (C0,
/// C1) but tabs and line breaks are taken out, malformed UTF-8 replaced. Pure.
std::string readable_log(std::string_view text);

/// The end of a log.
struct LogTail {
  std::string text;
  std::size_t lines = 0;
  std::size_t left_out_bytes = 0;  ///< Before it.
};
/// Takes lines off the beginning until `lines_max` are left; false: there were no more. Pure.
bool drop_older_lines(std::string& text, std::size_t lines_max);
/// At most `bytes_max` of the end, from the beginning of a line where there is one. Pure.
LogTail last_lines(std::string_view text, std::size_t bytes_max);

}  // namespace filecall::worker::kube
