// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace filecall::worker::file {

/// What the bytes of a file are: "utf-8", "utf-16le", "utf-16be", "utf-32le" (by their mark),
/// "binary" (they hold a NUL), or "unknown": an encoding of 8 bits, most likely. Pure.
std::string_view encoding_of(std::string_view bytes);

/// How many lines a text has; a last one need not end with a line feed. Pure.
std::size_t count_lines(std::string_view text);

/// Some lines of a text, with their ends as they are.
struct LineSlice {
  std::string_view text;
  std::size_t lines = 0;     ///< Whole or begun lines in `text`.
  bool is_whole = true;      ///< All lines that were asked for are there, to their ends.
  bool is_line_cut = false;  ///< The last of them is there in part.
};
/// At most `limit` lines from line `offset` (1 is the first) on, and at most `bytes_max` bytes:
/// whole lines, or the beginning of the first one when it alone is longer. Pure.
LineSlice slice_lines(std::string_view text, std::size_t offset, std::size_t limit,
                      std::size_t bytes_max);

/// SHA-256 in lower-case hex, 64 digits. Pure.
std::string sha256_hex(std::string_view bytes);

}  // namespace filecall::worker::file
