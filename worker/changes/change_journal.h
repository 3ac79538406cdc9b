// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "worker/changes/change_set.h"

namespace filecall::worker::changes {

/// How a set of changes ended.
enum class ChangeEnd : std::uint8_t {
  kMade,    ///< All files are as afterwards.
  kUndone,  ///< All files are as before.
  kTorn,    ///< Neither: some could not be brought to either.
};
std::string_view to_string(ChangeEnd end);  ///< "made", "undone", "torn"

/// What one file of worker/changes/ says.
struct ChangeRecord {
  ChangeSet set;
  std::optional<ChangeEnd> end;  ///< Absent: it is not known to have ended.
  /// Of kTorn: what became of each file, a sentence each.
  std::vector<std::string> files;
  bool operator==(const ChangeRecord&) const = default;
};

/// The text of such a file: a line for the intent, then one for each end that was written. A line
/// is 32 hex digits of a checksum (XXH3, 128 bits), a space and an object in JSON. Pure.
std::string intent_line(const ChangeSet& set);
std::string end_line(ChangeEnd end, const std::vector<std::string>& files = {});

/// Reads it. A line that is torn or damaged is passed over, the last whole end counts. Failure:
/// data_loss, the intent is not whole (it was on the disk before anything was changed, so the disk
/// lost it). Pure.
Result<ChangeRecord> read_change_record(std::string_view text);

}  // namespace filecall::worker::changes
