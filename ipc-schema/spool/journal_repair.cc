// SPDX-License-Identifier: MIT
#include "spool/journal_repair.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "base/log.h"
#include "base/stem.h"
#include "ipc/limits.h"
#include "ipc/response.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/answers.h"
#include "spool/identify.h"
#include "spool/journal.h"
#include "spool/journal_plan.h"
#include "spool/journal_reader.h"
#include "spool/layout.h"
#include "spool/publish.h"
#include "spool/scan.h"
#include "spool/start_records.h"

namespace filecall::spool {
namespace {

/// Of requests that one journal may speak of; a checkpoint comes at some 60 000.
constexpr std::size_t kStemsMax = 1'000'000;

/// A record that counts: what it says but its bytes, and where those lie.
struct Kept {
  RecordKind kind = RecordKind::kAnswer;
  std::uint64_t sequence = 0;
  std::string segment;
  RecordPlace place;
};

/// What the segments of a journal hold.
struct Log {
  std::vector<std::string> segments;
  std::vector<std::string> damaged;
  std::map<std::string, Kept, std::less<>> last;  ///< Stem -> its last record.
  bool is_cache_lost = false;
  std::size_t after_gap = 0;
  std::size_t nameless = 0;  ///< Records of something that is no request.
};

/// Empty: the name is no stem. A log may be anybody's work, and its names become paths.
std::string stem_of_record(const JournalRecord& record) {
  if (record.kind != RecordKind::kStart) {
    return is_valid_stem(record.name) ? std::string(record.name) : "";
  }
  const auto start = StartRecordName::parse(record.name);
  return start ? start->stem : "";
}

Result<void> take_records(Log& log, JournalReader& reader, const SegmentHeader& header,
                          const std::string& segment) {
  TRY_ASSIGN(
      const std::size_t after_gap,
      reader.each(
          header, [&](const JournalRecord& record, const RecordPlace& place) -> Result<void> {
            std::string stem = stem_of_record(record);
            if (stem.empty()) {
              ++log.nameless;
              return {};
            }
            const Kept kept{record.kind, record.sequence, segment, place};
            const auto [entry, is_new] = log.last.try_emplace(std::move(stem), kept);
            if (!is_new && entry->second.sequence < kept.sequence) entry->second = kept;
            if (log.last.size() <= kStemsMax) return {};
            return fail(ErrorCode::kDataLoss,
                        fmt::format("{}: speaks of more than {} requests", segment, kStemsMax));
          }));
  log.after_gap += after_gap;
  return {};
}

Result<UniqueFd> open_segment(const Directories& directories, const std::string& name) {
  return open_regular_at(directories.worker_journal.get(), name, O_RDONLY, "worker/journal");
}

Result<void> read_segment(Log& log, const Directories& directories, const std::string& name,
                          std::uint64_t medium) {
  auto fd = open_segment(directories, name);
  if (!fd && fd.error().code == ErrorCode::kFailedPrecondition) {
    log.damaged.push_back(name);  // A FIFO, a link: nothing of ours.
    return {};
  }
  if (!fd) return Unexpected(fd.error());
  JournalReader reader(fd->get(), name);
  bool is_blank = false;
  TRY_ASSIGN(const auto header, reader.header(is_blank));
  if (!header) {
    if (!is_blank) log.damaged.push_back(name);
    return {};
  }
  if (medium == kUnknownMedium || header->medium != medium) log.is_cache_lost = true;
  const auto taken = take_records(log, reader, *header, name);
  if (taken || taken.error().code != ErrorCode::kDataLoss) return taken;
  log_error("{}", taken.error().message);
  log.damaged.push_back(name);
  return {};
}

Result<Log> read_log(const Directories& directories) {
  Log log;
  TRY(read_directory(directories.worker_journal.get(), [&](const DirectoryEntry& entry) {
    if (Layout::is_journal_segment(entry.name)) log.segments.emplace_back(entry.name);
  }));
  const std::uint64_t medium = log.segments.empty() ? 0 : medium_of(directories);
  for (const std::string& name : log.segments) TRY(read_segment(log, directories, name, medium));
  return log;
}

/// The record itself; `bytes` holds what it views. data_loss: it is there no more.
Result<JournalRecord> record_of(JournalReader& reader, const Kept& kept, std::string& bytes) {
  TRY_ASSIGN(bytes, reader.bytes_at(kept.place));
  const auto record = decode_record(bytes);
  if (!record) {
    return fail(ErrorCode::kDataLoss, fmt::format("{}: changed while it was read", kept.segment));
  }
  return *record;
}

struct FoundResponse {
  RepairFacts::Response state = RepairFacts::Response::kMissing;
  std::string bytes;
};

Result<FoundResponse> look_at_response(const Directories& directories, const std::string& stem,
                                       const JournalRecord& record) {
  using State = RepairFacts::Response;
  const std::string name = Layout::file_name(stem);
  auto opened = open_regular_at(directories.responses.get(), name, O_RDONLY, "responses");
  if (!opened && opened.error().code == ErrorCode::kNotFound) return FoundResponse{};
  if (!opened && opened.error().code == ErrorCode::kFailedPrecondition) {
    return FoundResponse{State::kOther, ""};
  }
  TRY_ASSIGN(const UniqueFd fd, std::move(opened));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, fmt::format("responses/{}", name));
  TRY_ASSIGN(std::string bytes, read_all(fd.get(), kRecordBytesMax, name));
  const bool is_answer = record.kind == RecordKind::kAnswer;
  if (is_answer && bytes == record.bytes) return FoundResponse{State::kSame, std::move(bytes)};
  if (!parse_response(bytes, stem)) return FoundResponse{State::kTorn, std::move(bytes)};
  const bool is_older = is_answer && identify(info).mtime_ns < record.mtime_ns;
  return FoundResponse{is_older ? State::kOlder : State::kOther, std::move(bytes)};
}

/// Writes an answer as it was, with the time of its first writing: a client that has read it knows
/// it again by that.
Result<void> restore(const Directories& directories, const std::string& stem,
                     const JournalRecord& record, bool may_replace, Durability durability) {
  const int staging = staging_of(directories);
  const std::string temporary = next_temporary_name();
  const std::string name = Layout::file_name(stem);
  const auto file = write_file_at(staging, temporary, record.bytes, record.mtime_ns, durability,
                                  directories.file_mode);
  Result<void> written;
  if (!file) {
    written = Unexpected(file.error());
  } else {
    const int responses = directories.responses.get();
    if (may_replace) {
      if (::renameat(staging, temporary.c_str(), responses, name.c_str()) != 0) {
        written = fail_errno(errno, fmt::format("responses/{}: rename", name));
      }
    } else {
      const auto published = publish_staged(staging, temporary, responses, name, Durability::kNone);
      if (!published) written = Unexpected(published.error());
    }
  }
  ::unlinkat(staging, temporary.c_str(), 0);
  return written;
}

class Repair {
 public:
  Repair(const Directories& directories, const Log& log) : directories_(directories), log_(log) {}

  Result<void> run() {
    TRY(read_directory(directories_.worker_started.get(), [this](const DirectoryEntry& entry) {
      if (auto start = StartRecordName::parse(entry.name)) {
        starts_.emplace(start->stem, std::move(*start));
      }
    }));
    for (const auto& [stem, kept] : log_.last) {
      TRY_ASSIGN(const UniqueFd fd, open_segment(directories_, kept.segment));
      JournalReader reader(fd.get(), kept.segment);
      std::string bytes;
      TRY_ASSIGN(const JournalRecord record, record_of(reader, kept, bytes));
      TRY(repair(stem, record));
    }
    return {};
  }
  std::size_t restored() const { return restored_; }

 private:
  Result<void> repair(const std::string& stem, const JournalRecord& record) {
    TRY_ASSIGN(const FoundResponse found, look_at_response(directories_, stem, record));
    RepairFacts facts;
    facts.last = record.kind;
    facts.is_cache_lost = log_.is_cache_lost;
    facts.has_request = ::faccessat(directories_.requests.get(), Layout::file_name(stem).c_str(),
                                    F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    facts.response = found.state;
    // Elsewhere the record is the file that was to be published, which is looked after by
    // recover_start_records().
    facts.is_unpublished = !directories_.staging_is_shared && starts_.contains(stem);
    const RepairPlan plan = plan_repair(facts);
    TRY(repair_response(stem, record, plan.response, found.bytes));
    return repair_start(stem, record, plan.start);
  }

  Result<void> repair_response(const std::string& stem, const JournalRecord& record,
                               RepairPlan::Response step, std::string_view found) {
    switch (step) {
      case RepairPlan::Response::kLeave:
        return {};
      case RepairPlan::Response::kRemove:
        if (::unlinkat(directories_.responses.get(), Layout::file_name(stem).c_str(), 0) != 0) {
          return fail_errno(errno, fmt::format("responses/{}: remove", Layout::file_name(stem)));
        }
        return {};
      case RepairPlan::Response::kDisplace:
        TRY(keep_late_copy(directories_, stem, found, Durability::kNone));
        break;
      case RepairPlan::Response::kPublish:
      case RepairPlan::Response::kReplace:
        break;
    }
    ++restored_;
    return restore(directories_, stem, record, step != RepairPlan::Response::kPublish,
                   Durability::kNone);
  }

  Result<void> repair_start(const std::string& stem, const JournalRecord& record,
                            RepairPlan::Start step) {
    if (step == RepairPlan::Start::kLeave) return {};
    const auto [begin, end] = starts_.equal_range(stem);
    bool is_there = false;
    for (auto it = begin; it != end; ++it) {
      if (step == RepairPlan::Start::kWrite && it->second.format() == record.name) {
        is_there = true;
      } else {
        TRY(remove_start_record(directories_, it->second));
      }
    }
    if (step == RepairPlan::Start::kRemove || is_there) return {};
    TRY_ASSIGN(
        [[maybe_unused]] const std::int64_t mtime_ns,
        write_file_at(directories_.worker_started.get(), std::string(record.name), record.bytes,
                      std::nullopt, Durability::kNone, directories_.file_mode));
    return {};
  }

  const Directories& directories_;
  const Log& log_;
  std::multimap<std::string, StartRecordName> starts_;
  std::size_t restored_ = 0;
};

Result<void> remove_log(const Directories& directories, const Log& log) {
  const int journal = directories.worker_journal.get();
  for (const std::string& name : log.damaged) {
    const std::string aside = Layout::damaged_journal_name(name);
    log_error("worker/journal/{}: no journal; kept as {}", name, aside);
    if (::renameat(journal, name.c_str(), journal, aside.c_str()) != 0) {
      return fail_errno(errno, fmt::format("worker/journal/{}: rename", name));
    }
  }
  for (const std::string& name : log.segments) {
    if (::unlinkat(journal, name.c_str(), 0) != 0 && errno != ENOENT) {
      return fail_errno(errno, fmt::format("worker/journal/{}: remove", name));
    }
  }
  return sync_directory(journal);
}

}  // namespace

Result<void> repair_from_journal(const Directories& directories) {
  TRY_ASSIGN(const Log log, read_log(directories));
  if (log.segments.empty()) return {};
  if (log.nameless > 0) {
    log_warn(
        "the journal held {}; skipped",
        counted_noun(static_cast<std::int64_t>(log.nameless), "record whose name is no request id",
                     "records whose names are not request ids"));
  }
  Repair repair(directories, log);
  TRY(repair.run());
  // Also without a power cut: without its log, what was published must be durable by itself.
  TRY(sync_file_systems(directories));
  if (repair.restored() > 0 || log.after_gap > 0) {
    log_warn("the journal held last records of {}: {} restored, {} behind damage",
             counted_noun(std::ssize(log.last), "request"),
             counted_noun(static_cast<std::int64_t>(repair.restored()), "response"),
             counted_noun(static_cast<std::int64_t>(log.after_gap), "record"));
  }
  return remove_log(directories, log);
}

Result<void> rewrite_published(const Directories& directories, const Segment& segment) {
  JournalReader reader(segment.fd(), segment.name());
  Log log;
  TRY(take_records(log, reader, segment.header(), segment.name()));
  for (const auto& [stem, kept] : log.last) {
    if (kept.kind != RecordKind::kAnswer) continue;
    std::string bytes;
    TRY_ASSIGN(const JournalRecord record, record_of(reader, kept, bytes));
    TRY_ASSIGN(const FoundResponse found, look_at_response(directories, stem, record));
    RepairFacts facts;
    facts.is_cache_lost = false;
    facts.is_suspect = true;
    facts.response = found.state;
    if (plan_repair(facts).response != RepairPlan::Response::kReplace) continue;
    TRY(restore(directories, stem, record, true, Durability::kFull));
  }
  // Of a start that has no answer yet, the name tells all.
  TRY(sync_directory(directories.worker_started.get()));
  return sync_directory(directories.responses.get());
}

}  // namespace filecall::spool
