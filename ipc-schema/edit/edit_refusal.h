// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace filecall::edit {

/// The first line of a hunk that is not as the file has it, at the place that fits best.
struct Divergence {
  std::int64_t place = 0;      ///< The file's line where the hunk would begin.
  std::int64_t file_line = 0;  ///< One behind the last line when the file ends there.
  std::int64_t hunk_line = 0;  ///< From 1, of the lines that the file must have.
  std::string expected;
  std::string actual;
  std::size_t equal = 0;  ///< How many of the hunk's old lines stand there.
  std::size_t of = 0;
};

/// Why an edit was not made. Nothing of the file was changed.
struct EditRefusal {
  enum class Reason : std::uint8_t {
    kNotFound,
    kAmbiguous,
    kAppliedAlready,
    kOverlap,      ///< Two hunks change the same lines.
    kNoContext,    ///< Only adds lines, and names no line to add them at.
    kNoChange,     ///< The old and the new text are the same.
    kIndentation,  ///< Fits but for an indentation that is not shifted equally.
    kAnchor,       ///< The line of its `@@` is not there.
    kWorkLimit,    ///< Looking for it would take too long.
    kFile,         ///< The file is there or is not, against what the patch says.
    kTextFault,
  };
  Reason reason = Reason::kNotFound;
  std::size_t hunk = 0;                  ///< From 1; 0: of no hunk.
  std::size_t other_hunk = 0;            ///< The one that it overlaps.
  std::int64_t patch_line = 0;           ///< Where the hunk begins in the patch; 0: unknown.
  std::vector<std::int64_t> candidates;  ///< Lines of the file from 1, at most kCandidatesShown.
  std::size_t candidate_count = 0;
  std::optional<Divergence> divergence;
  std::string detail;  ///< A sentence, where the reason alone does not say it all.

  static constexpr std::size_t kCandidatesShown = 10;

  ErrorCode code() const;
  /// "hunk 2 (patch line 14): stands at 2 places, lines 10 and 52; give more lines of context". It
  /// may quote a line of the file and one of the patch, each at most 80 bytes.
  std::string message() const;
  /// For TRY in what fails with an Error.
  Error to_error(std::string_view file) const;
};
/// "not_found", "ambiguous", ...: the word for programs.
std::string_view to_string(EditRefusal::Reason reason);

}  // namespace filecall::edit
