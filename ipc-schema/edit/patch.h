// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "edit/text_lines.h"

namespace filecall::edit {

/// What a line of a hunk says, and the character that says so.
enum class Sign : char { kContext = ' ', kRemoved = '-', kAdded = '+' };

struct PatchLine {
  Sign sign = Sign::kContext;
  std::string text;  ///< Without its end.
  LineEnd end = LineEnd::kLf;
  bool operator==(const PatchLine&) const = default;
};

/// Where a hunk says that it belongs: numbers of lines, from 1, as a unified diff has them (the
/// line before it, when that side has no line).
struct StatedPlace {
  std::int64_t old_start = 0;
  std::int64_t new_start = 0;
  bool operator==(const StatedPlace&) const = default;
};

struct PatchHunk {
  std::optional<StatedPlace> place;
  /// Lines that stand somewhere before the hunk, outermost first (`@@ class Shop`).
  std::vector<std::string> anchors;
  bool is_at_end = false;  ///< Its last old line is the file's last line.
  std::vector<PatchLine> lines;
  /// Where it begins in the patch; 0 when no text was read.
  std::int64_t patch_line = 0;
  /// What is wrong with it and could be put right, in a sentence: its header counts other lines.
  std::string note;
  bool operator==(const PatchHunk&) const = default;
};

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };
std::string_view to_string(Operation operation);  ///< "create", "update", "delete"

/// What a patch does to one file. Names are those that the patch has, nothing is resolved.
struct FilePatch {
  Operation operation = Operation::kUpdate;
  std::string path;                   ///< Empty when the patch has hunks alone.
  std::string new_path;               ///< Where it is moved; empty when it stays.
  std::optional<std::uint32_t> mode;  ///< Permission bits, when the patch states them.
  /// All lines are added by a create. A delete may have none, or removes all lines.
  std::vector<PatchHunk> hunks;
  std::int64_t patch_line = 0;
  bool operator==(const FilePatch&) const = default;
};

/// A search and replace: `old_text` is replaced by `new_text`, within a line or over several.
struct TextEdit {
  std::string old_text;
  std::string new_text;
};

}  // namespace filecall::edit
