// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "worker/changes/change_set.h"

namespace filecall::worker::changes {

/// The open directory of a step. A descriptor that is not open: the directory is not there. Null:
/// it cannot be looked at. Steps share those that are the same.
using StepDirectory = std::shared_ptr<const UniqueFd>;

/// Of each step, by its name; nothing is made. Blocks.
std::vector<StepDirectory> open_step_directories(const ChangeSet& set);

/// Makes the directories on the way from one that is open to `directory` (its whole name), of which
/// `missing` is the end. Each is made once. All of it blocks; one thread.
class DirectoryMaker {
 public:
  /// Opens `directory` in the end. Failure: failed_precondition, somebody else made one of them
  /// meanwhile; errno's.
  Result<StepDirectory> make(StepDirectory above, const std::string& directory,
                             const std::string& missing);
  /// What it made, each before the one that it lies in.
  std::vector<std::string> made() const { return {names_.rbegin(), names_.rend()}; }

 private:
  std::map<std::string, StepDirectory> made_;
  std::vector<std::string> names_;
};

/// Removes those of the directories that are there and empty, in this order. What cannot be removed
/// stays. Blocks.
void remove_empty_directories(const std::vector<std::string>& directories);

}  // namespace filecall::worker::changes
