// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace filecall::worker::kube {

/// What is different between two texts, by line, as `git diff` writes it (libgit2's
/// git_diff_buffers), without the names of files.
struct LineDiff {
  std::string text;         ///< Hunks with three lines of context, at most `bytes_max` of them.
  std::size_t removed = 0;  ///< Lines.
  std::size_t added = 0;
  std::size_t left_out_hunks = 0;
};

/// A line longer than 400 bytes is shortened, in such a way that a removed line still differs from
/// the added one behind it. Pure; any thread.
LineDiff line_diff(std::string_view before, std::string_view after, std::size_t bytes_max);

/// Two texts of one long line each: what surrounds the first to the last byte that differs, with
/// "..." for what is left out. At most about `bytes_max` each. Pure.
struct ChangedPart {
  std::string before, after;
};
ChangedPart changed_part(std::string_view before, std::string_view after, std::size_t bytes_max);

}  // namespace filecall::worker::kube
