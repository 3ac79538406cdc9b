// SPDX-License-Identifier: MIT
#include "worker/changes/change_work.h"

#include <optional>
#include <utility>

#include "worker/changes/settlement.h"

namespace filecall::worker::changes {
namespace {

/// How often an interrupted set is tried while somebody else changes its files.
constexpr int kFinishTries = 3;

std::vector<std::string> reversed(std::vector<std::string> directories) {
  return {directories.rbegin(), directories.rend()};
}

/// Makes directories and puts the new contents beside the files. No file is changed.
Result<void> prepare(const ChangeWork& work, DirectoryMaker& maker,
                     std::vector<StepDirectory>& directories) {
  for (std::size_t i = 0; i < work.set.steps.size(); ++i) {
    if (work.is_cancelled()) {
      return fail(ErrorCode::kCancelled, "cancelled before any file was changed");
    }
    const ChangeStep& step = work.set.steps[i];
    if (!work.missing[i].empty()) {
      TRY_ASSIGN(directories[i], maker.make(work.directories[i], step.directory, work.missing[i]));
    }
    if (step.kind != StepKind::kRemove) TRY(work.write_aside(i, directories[i]->get()));
  }
  return {};
}

/// After a failure: back where that is possible.
Result<void, ChangeFailure> take_back(ChangeJournalFile& journal, Settlement& settlement,
                                      const DirectoryMaker& maker, Error error) {
  // What fails to be synced is back all the same.
  const auto moved = settlement.move(Direction::kBack);
  if (moved || settlement.is_moved(Direction::kBack)) {
    // Without this line the next look at the files comes to the same end.
    static_cast<void>(journal.end(ChangeEnd::kUndone));
    settlement.drop(Direction::kBack);
    remove_empty_directories(maker.made());
    return ChangeFailure{std::move(error), {}};
  }
  // Somebody changed a file after its step: what cannot go back may go on.
  if (direction_of(settlement.look()) == Direction::kForward &&
      settlement.move(Direction::kForward)) {
    static_cast<void>(journal.end(ChangeEnd::kMade));
    settlement.drop(Direction::kForward);
    return {};
  }
  return ChangeFailure{std::move(error), settlement.describe()};
}

}  // namespace

Result<void, ChangeFailure> make_changes(const std::string& folder, const ChangeWork& work) {
  auto journal = ChangeJournalFile::begin(folder, work.set);
  if (!journal) return ChangeFailure{std::move(journal).error(), {}};
  std::vector<StepDirectory> directories = work.directories;
  for (std::size_t i = 0; i < directories.size(); ++i) {
    if (!work.missing[i].empty()) directories[i] = std::make_shared<const UniqueFd>();
  }
  Settlement settlement(work.set, directories);
  DirectoryMaker maker;
  auto done = prepare(work, maker, directories);
  if (done) done = settlement.move(Direction::kForward);
  if (!done) return take_back(*journal, settlement, maker, std::move(done).error());
  // Without this line the next look at the files comes to the same end: all is moved, and durable.
  static_cast<void>(journal->end(ChangeEnd::kMade));
  settlement.drop(Direction::kForward);
  remove_empty_directories(work.set.empties);
  return {};
}

FinishedChanges finish_changes(ChangeJournalFile& journal) {
  const ChangeRecord& record = journal.record();
  const std::vector<StepDirectory> directories = open_step_directories(record.set);
  Settlement settlement(record.set, directories);
  std::optional<ChangeEnd> end = record.end;
  if (!end) settlement.drop_second_names();
  for (int tries = 0; !end && tries < kFinishTries; ++tries) {
    const Direction direction = direction_of(settlement.look());
    if (direction == Direction::kTorn) break;
    if (!settlement.move(direction)) continue;
    end = direction == Direction::kForward ? ChangeEnd::kMade : ChangeEnd::kUndone;
    static_cast<void>(journal.end(*end));
  }
  if (end == ChangeEnd::kMade) {
    settlement.drop(Direction::kForward);
    remove_empty_directories(record.set.empties);
    return {ChangeEnd::kMade, {}};
  }
  if (end == ChangeEnd::kUndone) {
    settlement.drop(Direction::kBack);
    remove_empty_directories(reversed(record.set.makes));
    return {ChangeEnd::kUndone, {}};
  }
  if (end == ChangeEnd::kTorn) return {ChangeEnd::kTorn, record.files};
  static_cast<void>(settlement.move(Direction::kBack));
  FinishedChanges torn{ChangeEnd::kTorn, settlement.describe()};
  static_cast<void>(journal.end(ChangeEnd::kTorn, torn.files));
  return torn;
}

}  // namespace filecall::worker::changes
