// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::worker::file {

/// What a change makes of a text.
struct ChangedText {
  std::string content;
  Json hunks = Json::array();  ///< {"grade", "line", "note"?} of each hunk or edit, in its order.
};

/// Applies what a request says: one of `edits` ([{old, new}]), `patch` (of this one file) and the
/// member `content_name` (the whole new content, which takes the line ends, the byte order mark and
/// the final newline of the old). `path` is the file's, for messages and to compare a patch's name
/// with. Failures: invalid_argument (not one of them, no patch, one of other files), and why the
/// text does not take it; its details name the hunk, the candidates and the first line that
/// differs. Messages begin with `pointer` ("/params"). Pure.
Result<ChangedText, Failure> changed_text(const Json& change, const char* content_name,
                                          std::string_view path, std::string_view present,
                                          std::string_view pointer);

/// Whether a patch's name of a file is that of `path`: empty, the same, or the end of it.
bool names_file(std::string_view patch_path, std::string_view path);

/// A difference as answers have it: `diff`, a unified diff of the one file, and `hunks`, [{"id",
/// "header", "diff"}]. An absent side is a file that is not there; `mode` is that of a new file.
/// Failure: one is no text. Pure.
struct TextDifference {
  std::string diff;
  Json hunks = Json::array();
};
Result<TextDifference> text_difference(std::string_view path, const std::string* before,
                                       const std::string* after,
                                       std::optional<unsigned> mode = std::nullopt);

/// The first hunks of a difference of a file that is updated, as many as have room in `bytes_max`.
struct ShownDifference {
  std::string diff;  ///< A unified diff; empty when not even the first hunk has room.
  std::size_t left_out = 0;
};
Result<ShownDifference> shown_difference(std::string_view path, const std::string& before,
                                         const std::string& after, std::size_t bytes_max);

}  // namespace filecall::worker::file
