// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "ipc/json.h"
#include "worker/exec/git/change_list.h"
#include "worker/exec/git/file_sides.h"

namespace filecall::worker::git {

/// Where the content after a change lies.
enum class AfterSide : std::uint8_t { kObjects, kFiles };

/// `files` of an answer that shows changes: within file.limits, and it says what is missing.
class DiffAnswer {
 public:
  DiffAnswer(const OpenRepository& repository, AfterSide after)
      : repository_(repository), after_(after) {}

  /// Failure: an object is missing.
  Result<void> add(const FileChange& change);
  /// Puts `files`, `additions`, `deletions`, `left_out` and `complete` into the answer.
  /// Nothing is added after it.
  void finish(Json& out, bool is_complete);

 private:
  /// Both sides of a change.
  struct Sides {
    FileBytes before;
    FileBytes after;
    std::string problem;  ///< Why they are not whole.
  };
  Result<Sides> read_sides(FileChange& change) const;
  Result<FileBytes> read_before(const FileSide& side) const;
  Result<void> add_text(const FileChange& change, const Sides& sides, Json& entry);

  const OpenRepository& repository_;
  AfterSide after_;
  Json files_ = Json::array();
  std::size_t left_out_ = 0;
  std::size_t additions_ = 0;
  std::size_t deletions_ = 0;
  std::size_t text_bytes_ = 0;
  bool is_cut_ = false;
};

}  // namespace filecall::worker::git
