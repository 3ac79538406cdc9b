// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"

namespace filecall::worker::changes {

/// What a step does to one name in a directory. All are single renames, so that a name holds what
/// it held before, or what it holds afterwards.
enum class StepKind : std::uint8_t {
  kReplace,  ///< Exchanges the file with its new content, which lies beside it.
  kCreate,   ///< Gives the name to a content that lies beside it.
  kRemove,   ///< Moves the file away from its name, beside it.
  /// Somebody else (a library) gives the name its new content; nothing is moved here. Its record
  /// tells afterwards whether that happened.
  kWatch,
};
std::string_view to_string(StepKind kind);  ///< "replace", "create", "remove", "watch"

/// The content of a file, for recognition: its size in bytes and its SHA-256.
struct ContentMark {
  std::uint64_t bytes = 0;
  std::string sha256;  ///< 64 hex digits; empty: there is no file.
  bool operator==(const ContentMark&) const = default;
};

struct ChangeStep {
  StepKind kind = StepKind::kReplace;
  std::string shown;      ///< The file, as answers name it.
  std::string directory;  ///< From "/" on, without links.
  std::string name;       ///< Without "/".
  /// The name beside it: of the new content before the step, of the old content after it. Empty
  /// for kWatch.
  std::string aside;
  ContentMark before;  ///< Empty for kCreate, and of kWatch when there is no file.
  ContentMark after;   ///< Empty for kRemove; never the same as `before`.
  bool operator==(const ChangeStep&) const = default;
};

/// Changes of several files that are made together: all of them, or none. Plain data.
struct ChangeSet {
  std::string request_id;
  std::vector<ChangeStep> steps;
  /// Directories that it makes, from "/" on, each after the one that it lies in.
  std::vector<std::string> makes;
  /// Directories that go when they are empty afterwards, each before the one that it lies in.
  std::vector<std::string> empties;
  Json answer;  ///< What its request is answered once it is made.
  bool operator==(const ChangeSet&) const = default;
};

}  // namespace filecall::worker::changes
