// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "worker/changes/change_decision.h"
#include "worker/changes/change_directories.h"

namespace filecall::worker::changes {

/// The steps of a set with their open directories, and what moves them. Blocks; one thread.
class Settlement {
 public:
  /// Both outlive it.
  Settlement(const ChangeSet& set, const std::vector<StepDirectory>& directories)
      : set_(set), directories_(directories) {}

  /// What can become of each step as it is now.
  std::vector<StepOptions> look() const;
  /// After a crash, before the first look: no file has two names of a step any more.
  void drop_second_names();
  /// Moves all steps one way, and looks whether they are there. A step that cannot go that way is
  /// left as it is, and is a failure. All moves are durable when this returns well.
  Result<void> move(Direction direction);
  /// Removes what lies beside the files once they have been moved. What cannot be removed, or is
  /// not known, stays; it is in nobody's way.
  void drop(Direction direction);
  /// Whether each step is where a move that way leads.
  bool is_moved(Direction direction) const;
  /// "src/a.txt: as before; its other content lies in src/.filecall-...", for each step.
  std::vector<std::string> describe() const;

 private:
  StepState state(std::size_t step) const;
  StepAct act(std::size_t step, Direction direction) const;
  Result<void> move_step(std::size_t step, Direction direction);
  Result<void> sync() const;
  /// A file that was not there when its step came counts as removed. An editor that saves may have
  /// left its name empty for a moment: then the file is there again, and was not removed.
  Result<void> look_at_removed() const;

  const ChangeSet& set_;
  const std::vector<StepDirectory>& directories_;
};

}  // namespace filecall::worker::changes
