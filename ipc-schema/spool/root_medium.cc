// SPDX-License-Identifier: MIT
#include "spool/root_medium.h"

#include "spool/journal_repair.h"
#include "spool/start_records.h"

namespace filecall::spool {

RootMedium::RootMedium(const Root& root, Durability durability)
    : root_(root),
      // What is written beside the journal (a late answer) is rare, and durable by itself.
      answers_(root, durability == Durability::kJournal ? Durability::kFull : durability) {
  if (durability == Durability::kJournal) journaled_.emplace(root_);
}

Result<std::vector<StartRecordName>> RootMedium::recover() {
  const auto directories = root_.directories();
  TRY(sweep_temporaries(*directories));
  TRY(repair_from_journal(*directories));
  return recover_start_records(*directories, answers_.durability());
}

void RootMedium::note_withdrawn(std::string_view stem) {
  if (journaled_) journaled_->note_withdrawn(stem);
}

Result<void> RootMedium::record_start(const StartRecordName& record, std::string_view json) {
  return answers_.record_start(record, json);
}

Result<void> RootMedium::forget_start(const StartRecordName& record) {
  TRY(answers_.forget_start(record));
  note_withdrawn(record.stem);
  return {};
}

Result<Publication> RootMedium::publish(std::string_view stem, std::string_view bytes,
                                        const std::optional<StartRecordName>& record) {
  return answers_.publish(stem, bytes, record);
}

Result<void> RootMedium::keep_late(std::string_view stem, std::string_view bytes) {
  return answers_.keep_late(stem, bytes);
}

Result<void> RootMedium::checkpoint() {
  return journaled_ ? journaled_->checkpoint() : Result<void>();
}

Result<void> RootMedium::rest() { return journaled_ ? journaled_->rest() : Result<void>(); }

}  // namespace filecall::spool
