// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "spool/medium.h"

namespace filecall::worker {

/// A disk as values: what is visible, what is durable, and what was asked for in which order.
class MemoryMedium final : public spool::Medium {
 public:
  enum class Kind { kDirect, kBlocking, kGrouped };
  explicit MemoryMedium(Kind kind) : kind_(kind) {}

  std::map<std::string, std::string> answers;
  std::map<std::string, std::string> starts;  ///< Text by the record's name.
  std::map<std::string, std::vector<std::string>> late;
  std::vector<std::string> log_lines;  ///< What was done, oldest first.
  std::optional<Error> full;           ///< Nothing can be written.
  std::optional<Error> unsynced;       ///< Syncs fail.
  bool is_large = false;               ///< Wants a checkpoint.
  int journal = 0;                     ///< Records in it.

  bool is_blocking() const override { return kind_ != Kind::kDirect; }
  bool is_grouped() const override { return kind_ == Kind::kGrouped; }

  Result<void> record_start(const spool::StartRecordName& record, std::string_view json) override {
    log_lines.push_back("start " + record.format());
    if (full) return Unexpected(*full);
    starts[record.format()] = json;
    return {};
  }
  Result<void> forget_start(const spool::StartRecordName& record) override {
    starts.erase(record.format());
    return {};
  }
  Result<spool::Publication> publish(std::string_view stem, std::string_view bytes,
                                     const std::optional<spool::StartRecordName>& record) override {
    log_lines.push_back("publish " + std::string(stem));
    if (full) return Unexpected(*full);
    return show(stem, bytes, record);
  }
  Result<void> sync_published() override {
    log_lines.emplace_back("sync");
    return unsynced ? Result<void>(Unexpected(*unsynced)) : Result<void>();
  }
  Result<void> keep_late(std::string_view stem, std::string_view bytes) override {
    late[std::string(stem)].emplace_back(bytes);
    return {};
  }

  void stage(spool::PendingWrite& write) override {
    log_lines.push_back("stage " + write.stem);
    write.result = spool::Publication::kPublished;
    if (full) write.result = Unexpected(*full);
  }
  void log(std::span<spool::PendingWrite> writes) override {
    CHECK(!is_logging_, "a group is logged only when the one before is published");
    is_logging_ = true;
    std::string line = "log";
    for (spool::PendingWrite& write : writes) {
      if (!write.result) continue;
      line += " " + write.stem;
      if (unsynced) write.result = Unexpected(*unsynced);
      if (write.result && write.is_start) starts[write.record->format()] = write.bytes;
      ++journal;
    }
    log_lines.push_back(line);
  }
  void publish_logged(std::span<spool::PendingWrite> writes) override {
    CHECK(is_logging_, "only what is logged is published");
    is_logging_ = false;
    for (spool::PendingWrite& write : writes) {
      if (!write.result || write.is_start) continue;
      log_lines.push_back("publish " + write.stem);
      write.result = show(write.stem, write.bytes, write.record);
    }
  }
  bool wants_checkpoint() const override { return is_large; }
  bool has_journal() const override { return journal > 0; }
  Result<void> checkpoint() override {
    log_lines.emplace_back("checkpoint");
    if (unsynced) return Unexpected(*unsynced);
    journal = 0;
    is_large = false;
    return {};
  }
  Result<void> rest() override { return checkpoint(); }

 private:
  spool::Publication show(std::string_view stem, std::string_view bytes,
                          const std::optional<spool::StartRecordName>& record) {
    if (record) starts.erase(record->format());
    const bool is_new = answers.emplace(stem, bytes).second;
    return is_new ? spool::Publication::kPublished : spool::Publication::kAlreadyThere;
  }

  Kind kind_;
  bool is_logging_ = false;
};

}  // namespace filecall::worker
