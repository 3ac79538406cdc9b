// SPDX-License-Identifier: MIT
#include "client/threads/thread_log.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/stem.h"
#include "client/threads/line_walk.h"
#include "client/threads/run_lock.h"
#include "client/threads/run_threads.h"
#include "client/threads/spilled_data.h"
#include "ipc/json_text.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "os/torn_line.h"
#include "spool/own_directory.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

/// Others hold it for one small write and its sync.
constexpr Duration kAppendPatience = seconds(30);
/// A torn tail is at most what one append writes; a disk may have filled it with zeros.
constexpr std::int64_t kTornBytesMax = 64 * 1024 * 1024;

constexpr std::string_view kCreated = "thread.created";
constexpr std::string_view kDeleted = "thread.deleted";
constexpr std::string_view kRunBegins = "run.begun";

bool is_deeper(const Json& value, int levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  for (const Json& inner : value) {
    if (is_deeper(inner, levels - 1)) return true;
  }
  return false;
}

/// Whether the thread has begun and was not deleted since. Only its first and last records say so.
struct ThreadEnd {
  std::int64_t seq = 0;
  bool is_deleted = false;
};

/// The number of the last record; lines that are none have taken numbers, too.
Result<ThreadEnd> end_of(int fd, const std::string& path) {
  TRY_ASSIGN(BackwardWalk walk, BackwardWalk::open(fd, path, kThreadLineBytesMax));
  for (std::int64_t bad = 0;; ++bad) {
    TRY_ASSIGN(const auto line, walk.next());
    if (!line) return ThreadEnd{bad, false};
    const auto record = parse_thread_line(line->text);
    if (record) return ThreadEnd{record->seq + bad, record->type == kDeleted};
  }
}

}  // namespace

Result<std::unique_ptr<ThreadLog>> ThreadLog::open(const spool::Layout& layout, std::string thread,
                                                   ThreadLogOptions options) {
  if (!is_valid_stem(thread)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("thread '{}': no valid id: 1 to 200 bytes of UTF-8 without '/' and "
                            "control characters, not beginning with a dot",
                            excerpt(thread)));
  }
  const auto missing = fail(
      ErrorCode::kNotFound,
      fmt::format("thread {}: there is none of that name in {}; 'filecall thread list' lists them",
                  thread, layout.threads()));
  auto folder = spool::open_own_directory(layout.threads(), options.creates);
  if (!folder && folder.error().code == ErrorCode::kNotFound && !options.creates) return missing;
  if (!folder) return Unexpected(folder.error());
  auto fd = open_regular_at(folder->get(), spool::Layout::thread_name(thread),
                            O_RDWR | O_APPEND | (options.creates ? O_CREAT : 0), "threads");
  if (!fd && fd.error().code == ErrorCode::kNotFound) return missing;
  if (!fd) return Unexpected(fd.error());
  if (options.durability == Durability::kJournal) options.durability = Durability::kFull;
  if (options.durability == Durability::kFull) TRY(spool::sync_directory(folder->get()));
  std::unique_ptr<ThreadLog> log(
      new ThreadLog(layout, std::move(thread), std::move(options), *std::move(fd)));
  if (!log->options_.holder.empty()) {
    TRY_ASSIGN(log->run_lock_, lock_for_run(layout, log->thread_, log->options_.holder));
  }
  TRY(log->begin_thread());
  return log;
}

/// The first record of a thread that is new or was deleted.
Result<void> ThreadLog::begin_thread() {
  const std::string path = layout_.thread(thread_);
  std::string title = options_.title;
  if (title.empty()) title = thread_ == kDefaultThread ? "Default" : thread_;
  Json data = {{"title", std::move(title)}};
  if (!options_.parent.empty()) {
    data["parent"] = options_.parent;
    data["parent_seq"] = options_.parent_seq;
  }
  TRY_ASSIGN(const spool::FileLock lock, spool::FileLock::acquire(path, kAppendPatience));
  TRY(catch_up());
  TRY_ASSIGN(const ThreadEnd end, end_of(fd_.get(), path));
  if (size_ > 0 && !end.is_deleted && options_.must_be_new) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("thread {}: it is there already; choose another id", thread_));
  }
  if (size_ > 0 && !end.is_deleted) return {};
  if (!options_.creates) {
    return fail(ErrorCode::kNotFound, fmt::format("thread {}: it was deleted", thread_));
  }
  std::vector<NewRecord> created(1);
  created[0] = {std::string(kCreated), {}, std::move(data)};
  TRY_ASSIGN(const std::string line, lines_of(std::move(created), options_.now));
  return write(line);
}

/// What others appended, and what a killed one left. Under the file's lock.
Result<void> ThreadLog::catch_up() {
  const std::string path = layout_.thread(thread_);
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) return fail_errno(errno, path + ": stat");
  if (info.st_nlink == 0) {
    return fail(ErrorCode::kAborted, path + ": was removed; open the thread again");
  }
  if (info.st_size == size_) return {};
  TRY_ASSIGN(const TornLine torn, set_torn_line_aside(fd_.get(), path, kTornBytesMax));
  if (torn.bytes > 0) {
    options_.on_notice(
        fmt::format("{}: the last line was cut off after {} bytes (its writer was killed); it was "
                    "kept as {}",
                    path, torn.bytes, torn.kept_as));
  }
  TRY_ASSIGN(const ThreadEnd end, end_of(fd_.get(), path));
  last_seq_ = end.seq;
  size_ = torn.size;
  return {};
}

/// The lines of records that follow `last_seq_`.
Result<std::string> ThreadLog::lines_of(std::vector<NewRecord> records, WallTime at) {
  std::string lines;
  std::int64_t seq = last_seq_;
  for (NewRecord& record : records) {
    CHECK(record.data.is_object(), "a record's data is an object");
    CHECK(record.run.empty() || is_valid_stem(record.run), "a run's id is a stem");
    CHECK(!record.type.empty() && record.type.size() <= kRecordWordBytesMax, "a record has a type");
    if (is_deeper(record.data, kRecordDepthMax)) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("thread {}: a record {} is nested deeper than {} levels", thread_,
                              record.type, kRecordDepthMax));
    }
    if (record.type == kRunBegins && !record.run.empty()) {
      TRY(note_run_place(layout_, record.run,
                         {thread_, size_ + static_cast<std::int64_t>(lines.size())},
                         options_.durability));
    }
    TRY_ASSIGN(Json data, spill_if_large(layout_, std::move(record.data), kRecordDataBytesMax,
                                         options_.durability));
    lines += render_thread_line({++seq, format_rfc3339(at), std::move(record.type),
                                 std::move(record.run), std::move(data)});
    lines += '\n';
  }
  return lines;
}

/// Under the file's lock.
Result<void> ThreadLog::write(const std::string& lines) {
  const std::string path = layout_.thread(thread_);
  if (const auto written = write_all(fd_.get(), lines, path); !written) {
    // What cannot be cut off either is a torn line for the next append.
    if (::ftruncate(fd_.get(), size_) != 0) size_ = -1;
    return written;
  }
  if (options_.durability != Durability::kNone && ::fdatasync(fd_.get()) != 0) {
    // The kernel may have dropped what it could not write: this descriptor says nothing any more.
    is_broken_ = true;
    return fail_errno(errno, path + ": sync");
  }
  size_ += static_cast<std::int64_t>(lines.size());
  last_seq_ += std::count(lines.begin(), lines.end(), '\n');
  return {};
}

Result<std::int64_t> ThreadLog::append(std::string type, std::string run, Json data, WallTime at) {
  std::vector<NewRecord> records(1);
  records[0] = {std::move(type), std::move(run), std::move(data)};
  return append_all(std::move(records), at);
}

Result<std::int64_t> ThreadLog::append_all(std::vector<NewRecord> records, WallTime at) {
  if (is_broken_) {
    return fail(ErrorCode::kDataLoss,
                fmt::format("thread {}: its last sync failed; open it again", thread_));
  }
  if (records.empty()) return last_seq_;
  TRY_ASSIGN(const spool::FileLock lock,
             spool::FileLock::acquire(layout_.thread(thread_), kAppendPatience));
  TRY(catch_up());
  TRY_ASSIGN(const std::string lines, lines_of(std::move(records), at));
  TRY(write(lines));
  return last_seq_;
}

}  // namespace filecall::client
