// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "ipc/durability.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/root.h"

namespace filecall::spool {

/// Writes start records and responses one by one. Any thread; blocking.
class Answers {
 public:
  /// `root` must outlive it.
  Answers(const Root& root, Durability durability) : root_(root), durability_(durability) {}

  Durability durability() const { return durability_; }

  /// See Medium, whose functions of these names they are.
  Result<void> record_start(const StartRecordName& record, std::string_view json);
  Result<void> forget_start(const StartRecordName& record);
  Result<Publication> publish(std::string_view stem, std::string_view bytes,
                              const std::optional<StartRecordName>& record);
  Result<void> sync_published();
  Result<void> keep_late(std::string_view stem, std::string_view bytes);

 private:
  Result<Publication> publish_with_record(const Directories& directories,
                                          const std::string& final_name, std::string_view bytes,
                                          const StartRecordName& record);

  const Root& root_;
  const Durability durability_;
};

/// Keeps an answer that lost against another one, under a free name in worker/late/.
Result<void> keep_late_copy(const Directories& directories, std::string_view stem,
                            std::string_view bytes, Durability durability);

/// Removes what publishing left when an earlier process died: everything in worker/tmp, and the
/// temporaries in worker/late and worker/. Only for the holder of the worker lock, before it
/// publishes.
Result<void> sweep_temporaries(const Directories& directories);

}  // namespace filecall::spool
