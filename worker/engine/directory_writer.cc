// SPDX-License-Identifier: MIT
#include "worker/engine/directory_writer.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"
#include "base/log.h"

namespace filecall::worker {
namespace {

constexpr Duration kRetryPeriod = seconds(1);
// As long as ext4 takes to write back by itself: a root at rest needs its journal no longer.
constexpr Duration kCheckpointDelay = seconds(5);
// A sync costs as much as some ten answers. Larger groups would save little more and let clients
// that wait for answers wait longer.
constexpr std::size_t kGroupMin = 64;

}  // namespace

DirectoryWriter::DirectoryWriter(std::string name, spool::Medium& medium, Pool& pool,
                                 const Clock& clock)
    : name_(std::move(name)), medium_(medium), pool_(pool), clock_(clock) {}

DirectoryWriter::~DirectoryWriter() {
  CHECK(is_idle(), "a writer is destroyed only when everything is delivered");
}

void DirectoryWriter::answer(std::string stem, std::string bytes,
                             std::optional<spool::StartRecordName> record, bool may_repeat,
                             Answered done) {
  ++pending_;
  auto entry = std::make_unique<Entry>();
  entry->write.stem = std::move(stem);
  entry->write.bytes = std::move(bytes);
  entry->write.record = std::move(record);
  entry->answered = std::move(done);
  entry->may_repeat = may_repeat;
  send(std::move(entry));
}

void DirectoryWriter::record_start(spool::StartRecordName record, std::string json, Recorded done) {
  if (!medium_.is_blocking()) {
    done(medium_.record_start(record, json));
    return;
  }
  ++pending_;
  if (medium_.is_grouped()) {
    auto entry = std::make_unique<Entry>();
    entry->write.stem = record.stem;
    entry->write.bytes = std::move(json);
    entry->write.record = std::move(record);
    entry->write.is_start = true;
    entry->recorded = std::move(done);
    send(std::move(entry));
    return;
  }
  auto result = std::make_shared<Result<void>>();
  pool_.offload([this, result, record = std::move(record),
                 json = std::move(json)] { *result = medium_.record_start(record, json); },
                [this, result, done = std::move(done)] {
                  --pending_;
                  done(*result);
                });
}

void DirectoryWriter::send(std::unique_ptr<Entry> entry) {
  if (medium_.is_grouped()) {
    medium_.stage(entry->write);
    gathered_.push_back(std::move(entry));
    if (gathered_.size() >= kGroupMin) commit();
    return;
  }
  if (!medium_.is_blocking()) {
    const spool::PendingWrite& write = entry->write;
    const auto result = medium_.publish(write.stem, write.bytes, write.record);
    on_published(std::move(entry), result);
    return;
  }
  struct Flight {
    std::unique_ptr<Entry> entry;
    std::optional<Result<spool::Publication>> result;
  };
  // std::function needs copyable captures.
  auto flight = std::make_shared<Flight>(Flight{std::move(entry), std::nullopt});
  pool_.offload(
      [this, flight] {
        const spool::PendingWrite& sent = flight->entry->write;
        flight->result = medium_.publish(sent.stem, sent.bytes, sent.record);
      },
      [this, flight] { on_published(std::move(flight->entry), *flight->result); });
}

void DirectoryWriter::on_published(std::unique_ptr<Entry> entry,
                                   const Result<spool::Publication>& result) {
  if (!result) return keep(std::move(entry), result.error());
  if (entry->is_stuck) --stuck_count_;
  if (stuck_count_ == 0 && !problem_.empty()) {
    log_info("{}: responses are published again", name_);
    problem_.clear();
  }
  if (*result == spool::Publication::kAlreadyThere) {
    lose(entry->write, entry->may_repeat);
    finish(*entry, false);
    return;
  }
  if (!medium_.is_blocking() || medium_.is_grouped()) return finish(*entry, true);
  renamed_.push_back(std::move(entry));
  sync();
}

void DirectoryWriter::keep(std::unique_ptr<Entry> entry, const Error& why) {
  // Once, not for every answer and every second: the text names a temporary file and always
  // differs.
  if (problem_.empty()) {
    log_error("{}: response not published, kept in memory and tried again: {}", entry->write.stem,
              why.message);
  }
  problem_ = why.code == ErrorCode::kResourceExhausted
                 ? fmt::format(
                       "{}: {}; answers wait in memory and are written as soon as there is "
                       "space: remove files, e.g. with 'filecall gc --older-than 30d'",
                       name_, why.message)
                 : why.message;
  if (!std::exchange(entry->is_stuck, true)) ++stuck_count_;
  stuck_.push_back(std::move(entry));
  retry_at_ = Deadline::after(clock_.monotonic(), kRetryPeriod);
}

void DirectoryWriter::lose(const spool::PendingWrite& write, bool may_repeat) {
  if (may_repeat) return;
  const auto kept = medium_.keep_late(write.stem, write.bytes);
  log_warn("{}: answered before; this response was {}", write.stem,
           kept ? "set aside in worker/late/" : kept.error().message);
}

void DirectoryWriter::sync() {
  if (is_syncing_ || renamed_.empty()) return;
  is_syncing_ = true;
  struct Flight {
    Entries entries;
    Result<void> result;
  };
  auto flight = std::make_shared<Flight>(Flight{std::exchange(renamed_, {}), {}});
  pool_.offload([this, flight] { flight->result = medium_.sync_published(); },
                [this, flight] {
                  is_syncing_ = false;
                  if (!flight->result) {
                    // The names are visible and their bytes are durable; only their survival of a
                    // power cut is in doubt, and a second sync could not tell more (the error is
                    // reported once).
                    log_error("{}: directory not synced: {}", name_,
                              flight->result.error().message);
                  }
                  for (const auto& entry : flight->entries) finish(*entry, true);
                  sync();
                });
}

void DirectoryWriter::commit() {
  if (is_committing_ || gathered_.empty()) return;
  is_committing_ = true;
  struct Flight {
    Entries entries;
    std::vector<spool::PendingWrite> writes;
  };
  auto flight = std::make_shared<Flight>();
  flight->entries = std::exchange(gathered_, {});
  for (const auto& entry : flight->entries) flight->writes.push_back(std::move(entry->write));
  pool_.offload(
      [this, flight] { medium_.log(flight->writes); },
      [this, flight] { on_committed(std::move(flight->entries), std::move(flight->writes)); });
}

void DirectoryWriter::on_committed(Entries entries, std::vector<spool::PendingWrite> writes) {
  medium_.publish_logged(writes);
  is_committing_ = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = *entries[i];
    entry.write = std::move(writes[i]);
    const auto result = entry.write.result;
    if (entry.recorded == nullptr) {
      on_published(std::move(entries[i]), result);
      continue;
    }
    --pending_;
    entry.recorded(result ? Result<void>() : Unexpected(result.error()));
  }
  if (medium_.wants_checkpoint()) checkpoint();
  checkpoint_at_ = Deadline::after(clock_.monotonic(), kCheckpointDelay);
}

void DirectoryWriter::checkpoint() {
  if (std::exchange(is_checkpointing_, true)) return;
  ++pending_;
  auto result = std::make_shared<Result<void>>();
  pool_.offload([this, result] { *result = medium_.checkpoint(); },
                [this, result] {
                  --pending_;
                  is_checkpointing_ = false;
                  if (*result) return;
                  log_error("{}: the journal stays: {}", name_, result->error().message);
                  checkpoint_at_ = Deadline::after(clock_.monotonic(), kCheckpointDelay);
                });
}

void DirectoryWriter::on_wake(MonotonicTime now) {
  if (retry_at_.is_reached(now)) {
    retry_at_ = Deadline::never();
    for (auto& entry : std::exchange(stuck_, {})) send(std::move(entry));
  }
  if (checkpoint_at_.is_reached(now)) {
    checkpoint_at_ = Deadline::never();
    if (!is_committing_ && medium_.has_journal()) checkpoint();
  }
}

void DirectoryWriter::finish(const Entry& entry, bool is_first) {
  --pending_;
  entry.answered(entry.write.stem, is_first);
}

void DirectoryWriter::abandon_stuck() {
  for (const auto& entry : std::exchange(stuck_, {})) {
    log_error("{}: stopped before its response could be published", entry->write.stem);
    --pending_;
  }
  retry_at_ = Deadline::never();
}

}  // namespace filecall::worker
