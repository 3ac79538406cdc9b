// SPDX-License-Identifier: MIT
#include "worker/engine/directory_source.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/log.h"
#include "ipc/json_text.h"
#include "os/accounts.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/client_files.h"
#include "spool/group_root.h"
#include "spool/publish.h"
#include "worker/engine/event_file.h"

namespace filecall::worker {
namespace {

// A client that asks whether a worker lives holds the lock for an instant.
constexpr Duration kLockPatience = seconds(1);
// Others may have put a link there since the root was opened.
constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
constexpr std::size_t kStatusBytesMax = 1024 * 1024;

/// " (pid 123)" of the worker that holds the lock; empty when its status cannot be read.
std::string pid_text(const std::string& status_path) {
  const auto bytes = read_regular_file(status_path, kStatusBytesMax);
  if (!bytes) return "";
  const auto status = parse_worker_status(*bytes);
  return status ? fmt::format(" (pid {})", status->pid) : "";
}

std::string start_record_text(const Start& start) {
  static const int pid = ::getpid();
  std::string out = "{\"command\":";
  append_json_string(out, start.command);
  out += ",\"effects\":";
  append_json_string(out, to_string(start.record.effects));
  out += ",\"pid\":";
  append_json_integer(out, pid);
  out += ",\"request_id\":";
  append_json_string(out, start.stem);
  out += ",\"started_at\":";
  append_json_string(out, format_rfc3339(start.started_at));
  out += ",\"starts\":";
  append_json_integer(out, start.record.starts);
  out += "}\n";
  return out;
}

spool::StartRecordName record_name(std::string_view stem, const StartRecord& record) {
  return {std::string(stem), record.starts, record.effects};
}

/// Puts the text where the file's is: that needs no space, and it is to report a full disk.
/// A reader may find no JSON meanwhile, and looks again.
Result<void> overwrite(const std::string& path, const std::string& text) {
  TRY_ASSIGN(const UniqueFd fd, open_regular(path, O_RDWR));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, path);
  if (text.size() > static_cast<std::size_t>(info.st_blocks) * 512) {
    return fail(ErrorCode::kResourceExhausted, path + ": no space for what it would say");
  }
  TRY(write_all(fd.get(), text, path));
  if (::ftruncate(fd.get(), static_cast<off_t>(text.size())) != 0) return fail_errno(errno, path);
  return {};
}

/// A rename replaces anything but a directory: a worker that cannot say that it is ready would make
/// clients wait for ever.
Result<void> check_status_place(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return {};
  return fail(ErrorCode::kFailedPrecondition,
              path +
                  ": is a directory, so the status cannot be written there; remove it and start "
                  "the worker again");
}

}  // namespace

DirectorySource::DirectorySource(spool::Root root, spool::FileLock lock,
                                 const DirectorySourceOptions& options, Pool& pool,
                                 const Clock& clock)
    : root_(std::move(root)),
      lock_(std::move(lock)),
      medium_(root_, options.durability),
      reader_(root_, options.reader,
              options.durability == Durability::kJournal
                  ? [this](std::string_view stem) { note_deleted(stem); }
                  : std::function<void(std::string_view)>()),
      writer_(root_.layout().root(), medium_, pool, clock),
      changes_(root_.layout()),
      pool_(pool),
      pauses_(root_.layout()) {
  if (options.group) {
    members_.emplace(*options.group, ::geteuid(),
                     [group = *options.group](uid_t uid) { return is_member(uid, group); });
  }
}

std::optional<Pauses> DirectorySource::take_pauses(WallTime now) {
  if (!pauses_.refresh(now)) return std::nullopt;
  const spool::PauseSet& set = pauses_.set();
  paused_ = spool::held_names(set, spool::kNamedPausesMax);
  return Pauses{set.everything, set.destinations};
}

Result<std::unique_ptr<DirectorySource>> DirectorySource::open(
    const std::string& path, const DirectorySourceOptions& options, Pool& pool,
    const Clock& clock) {
  if (const auto group = options.group ? std::nullopt : spool::find_group_root(path)) {
    const std::string name = group_label(group->group);
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("{}: is a root of the group {}; serve it with --group {}, or choose "
                            "another --root",
                            path, name, name));
  }
  TRY_ASSIGN(spool::Root root, spool::Root::open(path, {.allow_shared = options.allow_shared_root,
                                                        .create = true,
                                                        .group = options.group}));
  auto lock = spool::FileLock::acquire(root.layout().worker_lock(), kLockPatience);
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("{}: another worker{} serves this root; stop it first "
                            "(filecall worker stop --root {})",
                            path, pid_text(root.layout().worker_status()), path));
  }
  if (!lock) return Unexpected(lock.error());
  TRY(check_status_place(root.layout().worker_status()));
  std::unique_ptr<DirectorySource> source(
      new DirectorySource(std::move(root), std::move(lock).value(), options, pool, clock));
  TRY(source->recover());
  return source;
}

Result<void> DirectorySource::recover() {
  TRY_ASSIGN(const auto left, medium_.recover());
  for (const auto& record : left) {
    earlier_starts_.insert_or_assign(record.stem, StartRecord{record.starts, record.effects});
  }
  return changes_.finish(left, [this](std::string_view stem) { return reader_.is_pending(stem); });
}

void DirectorySource::show_life() const {
  const std::string path = root_.layout().worker_life();
  if (life_ && life_->is_still_at(path)) return;
  life_.reset();
  auto lock = spool::FileLock::acquire(path, Duration::zero(), spool::kGroupFileMode);
  if (lock) {
    life_.emplace(std::move(*lock));
    life_failures_ = 0;
    return;
  }
  // Tried again with each status. A client that asks holds it for an instant; who holds it longer
  // tells the others that a worker lives, also when none does.
  if (++life_failures_ != 2) return;
  log_warn("{}; clients may not see when this worker ends", lock.error().message);
}

std::uint32_t DirectorySource::ruler() const { return ::geteuid(); }

std::optional<std::uint32_t> DirectorySource::owner_of(std::string_view stem) const {
  struct stat info {};
  if (::fstatat(root_.directories()->requests.get(), spool::Layout::file_name(stem).c_str(), &info,
                AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return info.st_uid;
}

DiscardResult DirectorySource::discard(std::string_view stem, const ResponseFile& response) {
  const spool::FileIdentity file{response.inode, response.mtime_ns, response.size};
  const auto deleted = spool::delete_response(*root_.directories(), stem, file);
  if (!deleted) {
    log_error("{}: its response is not discarded: {}", stem, deleted.error().message);
    return DiscardResult::kFailed;
  }
  switch (*deleted) {
    case spool::Deletion::kDeleted:
      return DiscardResult::kDiscarded;
    case spool::Deletion::kAbsent:
      return DiscardResult::kAbsent;
    case spool::Deletion::kOther:
      break;
  }
  return DiscardResult::kOther;
}

Arrival DirectorySource::to_arrival(spool::Arrival&& found) {
  Arrival arrival{std::move(found.stem), std::move(found.content), found.bytes,
                  found.received_at,     found.noticed_at,         std::nullopt};
  if (members_) {
    arrival.user = found.owner.user;
    arrival.is_outside = !members_->may_ask(found.owner, found.noticed_at);
  }
  return arrival;
}

Result<void> DirectorySource::write_status(WorkerStatus status) const {
  if (!owns_root()) return {};  // It may be another worker's by now, with a status of its own.
  if (members_) show_life();
  status.watch = reader_.watch_mode();
  status.watch_reason = reader_.watch_reason();
  status.problem = writer_.problem();
  status.counts.pending += static_cast<std::int64_t>(reader_.waiting());
  status.counts.ignored = static_cast<std::int64_t>(reader_.ignored());
  status.counts.overflows = reader_.overflows();
  status.counts.rescans = reader_.scans();
  // Opened each time: the directory may have been replaced since.
  TRY_ASSIGN(const UniqueFd worker, open_file(root_.layout().worker(), kDirectoryFlags));
  const std::string text = render_worker_status(status);
  const auto replaced = spool::replace_file(worker.get(), "status.json", text, Durability::kNone,
                                            root_.directories()->file_mode);
  if (replaced || replaced.error().code != ErrorCode::kResourceExhausted) return replaced;
  // Why it could not be replaced is the reason; there may be no file yet to be written over.
  if (overwrite(root_.layout().worker_status(), text)) return {};
  return replaced;
}

Result<void> DirectorySource::write_launch(const WorkerLaunch& launch) const {
  TRY_ASSIGN(const UniqueFd worker, open_file(root_.layout().worker(), kDirectoryFlags));
  return spool::replace_file(worker.get(), "launch.json", render_worker_launch(launch),
                             Durability::kFile);
}

void DirectorySource::on_wake(MonotonicTime now) {
  if (reader_.next_wake().is_reached(now)) reader_.on_wake(now);
  writer_.on_wake(now);
}

std::optional<Arrival> DirectorySource::next(MonotonicTime now) {
  auto found = reader_.next(now);
  if (!found) return std::nullopt;
  Arrival arrival = to_arrival(std::move(*found));
  arrival.earlier_start = take_earlier_start(arrival.stem);
  arrival.earlier_outcome = changes_.take(arrival.stem);
  return arrival;
}

std::optional<StartRecord> DirectorySource::take_earlier_start(std::string_view stem) {
  const auto left = earlier_starts_.empty() ? earlier_starts_.end() : earlier_starts_.find(stem);
  if (left == earlier_starts_.end()) return std::nullopt;
  const StartRecord record = left->second;
  earlier_starts_.erase(left);
  return record;
}

Result<Arrival> DirectorySource::read_again(std::string_view stem, MonotonicTime now) {
  TRY_ASSIGN(auto found, reader_.read_again(stem, now));
  return to_arrival(std::move(found));
}

void DirectorySource::record_start(const Start& start, std::function<void(Result<void>)> done) {
  writer_.record_start(record_name(start.stem, start.record), start_record_text(start),
                       std::move(done));
}

void DirectorySource::withdraw_start(std::string_view stem, const StartRecord& record) {
  if (const auto forgotten = medium_.forget_start(record_name(stem, record)); !forgotten) {
    log_error("{}: start record not removed: {}", stem, forgotten.error().message);
  }
  if (changes_.leaves_record(stem, record)) changes_.forget(std::string(stem));
}

void DirectorySource::answer(Answer answer, Answered done) {
  std::optional<spool::StartRecordName> record;
  if (answer.start) record = record_name(answer.stem, *answer.start);
  if (changes_.leaves_record(answer.stem, answer.start)) done = after_forgetting(std::move(done));
  writer_.answer(std::move(answer.stem), std::move(answer.bytes), std::move(record),
                 answer.may_repeat, std::move(done));
}

/// Before the request may be started again, so that no later run takes the record for one of that
/// start.
Source::Answered DirectorySource::after_forgetting(Answered done) {
  return [this, done = std::move(done)](std::string_view stem, bool is_first) {
    ++forgetting_;
    pool_.offload([this, stem = std::string(stem)] { changes_.forget(stem); },
                  [this, done, stem = std::string(stem), is_first] {
                    --forgetting_;
                    done(stem, is_first);
                  });
  };
}

std::unique_ptr<EventSink> DirectorySource::events(std::string_view stem) {
  return open_event_file(root_.layout(), stem, root_.directories()->file_mode);
}

void DirectorySource::cancel(std::string_view stem, Cancelled done) {
  if (!reader_.is_pending(stem)) {
    return done(reader_.is_answered(stem) ? SourceCancel::kAnswered : SourceCancel::kUnknown, {});
  }
  // What an earlier run made of it is its answer.
  if (changes_.has(stem)) return done(SourceCancel::kAnswered, {});
  // Held, so that it is not handed out and started while its answer is on the way. Held already:
  // its own answer is on the way.
  if (!reader_.hold(stem)) return done(SourceCancel::kAnswered, {});
  done(SourceCancel::kHeld, take_earlier_start(stem));
}

/// Somebody who deletes a response wants another attempt: a power cut must not bring the old one
/// back. While a request is held, its next record is on its way and counts anyhow.
void DirectorySource::note_deleted(std::string_view stem) {
  if (!medium_.has_journal() || reader_.is_held(stem) || reader_.is_answered(stem)) return;
  medium_.note_withdrawn(stem);
}

SourceState DirectorySource::state() const {
  return {reader_.is_drained(), writer_.is_idle() && forgetting_ == 0,
          writer_.problem(),    static_cast<std::int64_t>(reader_.waiting()),
          Duration::zero(),     writer_.is_stuck()};
}

void DirectorySource::close() {
  writer_.abandon_stuck();
  // What is still under way will be found by the next start, in the journal.
  if (!writer_.is_idle() || reader_.is_any_held()) return;
  if (const auto rested = medium_.rest(); !rested) {
    log_warn("{}: the journal stays: {}", root_.layout().root(), rested.error().message);
  }
}

}  // namespace filecall::worker
