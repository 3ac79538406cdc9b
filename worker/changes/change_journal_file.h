// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/unique_fd.h"
#include "worker/changes/change_journal.h"

namespace filecall::worker::changes {

/// The record of one set of changes on the disk: `{folder}/{request_id}.jsonl`, for as long as its
/// request has no response. All of it blocks; a file has one thread at a time.
class ChangeJournalFile {
 public:
  /// Writes the intent, durable when this returns; the folder is made when it is missing (0700).
  /// A record that ended is written over. Failures: already_exists, one of that request has not
  /// ended; errno's: nothing was recorded.
  static Result<ChangeJournalFile> begin(const std::string& folder, const ChangeSet& set);
  /// Opens one that is there. Failures: those of read_change_record().
  static Result<ChangeJournalFile> open(const std::string& folder, std::string_view request_id);

  const ChangeRecord& record() const { return record_; }
  /// Durable when this returns. After a failure it is not known which of the ends is written.
  Result<void> end(ChangeEnd how, std::vector<std::string> files = {});

 private:
  ChangeJournalFile(std::string path, ChangeRecord record)
      : path_(std::move(path)), record_(std::move(record)) {}

  std::string path_;
  ChangeRecord record_;
};

/// A record that is not there is fine. Durable when this returns.
Result<void> remove_record(const std::string& folder, std::string_view request_id);
bool has_record(const std::string& folder, std::string_view request_id);
/// The requests that have one, sorted, and removes what is left of records that were never whole:
/// before any is begun. None when there is no folder. Failure: errno's.
Result<std::vector<std::string>> requests_with_records(const std::string& folder);

}  // namespace filecall::worker::changes
