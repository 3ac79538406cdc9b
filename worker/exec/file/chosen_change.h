// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/file/file_change.h"
#include "worker/exec/file/part_choice.h"

namespace filecall::worker::file {

/// Of all files of a proposal together, old and new: answers hold them more than once.
inline constexpr std::size_t kChangedBytesMax = std::size_t{32} << 20;

/// A change that file.apply makes: its file, and what it holds before and afterwards.
struct ChosenChange {
  const Json* change = nullptr;  ///< Of the request's params, which outlive it.
  std::size_t number = 0;        ///< In the request.
  ChosenPart part;
  std::string name;  ///< The file, as answers and further requests name it.
  HeldFile file;     ///< Of a create the place alone; its name may hold "/".
  std::optional<std::string> before;
  std::optional<std::string> after;
  std::optional<unsigned> mode;          ///< Of a create.
  std::vector<std::string> directories;  ///< Of a delete: what goes when it is empty.

  const std::string& operation() const {
    return (*change)["operation"].get_ref<const std::string&>();
  }
  std::string pointer() const;
  /// It makes another content.
  bool is_effective() const { return before != after; }
};

/// The chosen changes with their files, which nobody else in this worker changes while `lock`
/// lives.
struct HeldChanges {
  std::vector<ChosenChange> changes;
  PlaceLocks::Held lock;
};
/// Opens and reads the files of what is chosen. Nothing is changed. Failure: the first change that
/// is not allowed or not complete; failed_precondition, and `conflicts` in its details for all
/// files that are others than the changes were made for. Blocks; any thread.
Result<HeldChanges, Failure> hold_changes(const FileRules& rules, const Json& changes,
                                          const std::vector<ChosenPart>& parts);

}  // namespace filecall::worker::file
