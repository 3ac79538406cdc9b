// SPDX-License-Identifier: MIT
#include "client/threads/thread_reader.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/stem.h"
#include "base/utf8.h"
#include "client/threads/run_threads.h"
#include "ipc/json_text.h"
#include "os/regular_file.h"
#include "spool/own_directory.h"

namespace filecall::client {
namespace {

constexpr std::string_view kRunBegun = "run.begun";

Result<UniqueFd> open_to_read(const spool::Layout& layout, std::string_view thread) {
  if (!is_valid_stem(thread)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("thread '{}': no valid id", excerpt(thread)));
  }
  const auto missing = fail(
      ErrorCode::kNotFound,
      fmt::format("thread {}: there is none of that name in {}; 'filecall thread list' lists them",
                  thread, layout.threads()));
  const auto folder = spool::open_own_directory(layout.threads(), false);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return missing;
  if (!folder) return Unexpected(folder.error());
  auto fd = open_regular_at(folder->get(), spool::Layout::thread_name(thread), O_RDONLY, "threads");
  if (!fd && fd.error().code == ErrorCode::kNotFound) return missing;
  return fd;
}

std::string missing_text(std::int64_t first, std::int64_t last) {
  if (first == last) return fmt::format("record {} is missing before it", first);
  return fmt::format("records {} to {} are missing before it", first, last);
}

/// Whether a line that verifies can be of the run: a record names it before its data.
bool names_run(std::string_view line, std::string_view run) {
  std::string wanted = R"(,"run":)";
  append_json_string(wanted, run);
  return line.find(wanted) != std::string_view::npos;
}

/// Gathers records from the last one back.
class BackwardPage {
 public:
  explicit BackwardPage(std::size_t count) : count_(count) {}

  bool is_full() const {
    return page_.records.size() >= count_ || page_.bad.size() >= kBadLinesKept;
  }
  void add(const WalkedLine& line) {
    if (line.is_torn) return note(line.offset, "it has no end: its writer was killed, or writes");
    if (line.is_too_long) return note_whole(line.offset, "it is longer than a record can be");
    auto record = parse_thread_line(line.text);
    if (!record) return note_whole(line.offset, std::move(record).error());
    if (seq_ > 0 && record->seq >= seq_) {
      return note(line.offset, fmt::format("its number {} is not below {}, which follows it",
                                           record->seq, seq_));
    }
    if (seq_ > 0 && record->seq + bad_since_ < seq_ - 1) {
      note(offset_, missing_text(record->seq + 1, seq_ - 1));
    }
    seq_ = record->seq;
    offset_ = line.offset;
    bad_since_ = 0;
    page_.records.push_back(std::move(*record));
  }
  ThreadPage finish(bool has_older) {
    std::reverse(page_.records.begin(), page_.records.end());
    std::reverse(page_.bad.begin(), page_.bad.end());
    page_.complete = page_.bad.empty();
    page_.has_older = has_older;
    return std::move(page_);
  }

 private:
  void note(std::int64_t offset, std::string reason) {
    page_.bad.push_back({offset, 0, std::move(reason)});
  }
  /// A line that took the number of a record.
  void note_whole(std::int64_t offset, std::string reason) {
    ++bad_since_;
    note(offset, std::move(reason));
  }

  std::size_t count_;
  ThreadPage page_;
  std::int64_t seq_ = 0;
  std::int64_t offset_ = 0;
  std::int64_t bad_since_ = 0;
};

}  // namespace

std::string bad_line_text(const std::string& path, const BadLine& bad) {
  if (bad.line == 0) {
    return fmt::format("{}: the line at byte {}: {}", path, bad.offset, bad.reason);
  }
  return fmt::format("{}: line {}, at byte {}: {}", path, bad.line, bad.offset, bad.reason);
}

ThreadReader::ThreadReader(UniqueFd fd, std::string path, std::int64_t offset, std::int64_t seq)
    : fd_(std::move(fd)),
      walk_(fd_.get(), std::move(path), offset, kThreadLineBytesMax),
      counts_lines_(offset == 0),
      seq_(seq) {}

Result<ThreadReader> ThreadReader::open(const spool::Layout& layout, std::string_view thread) {
  return open_at(layout, thread, 0, 1);
}

Result<ThreadReader> ThreadReader::open_in(int threads, const spool::Layout& layout,
                                           std::string_view thread) {
  TRY_ASSIGN(UniqueFd fd,
             open_regular_at(threads, spool::Layout::thread_name(thread), O_RDONLY, "threads"));
  return ThreadReader(std::move(fd), layout.thread(thread), 0, 0);
}

Result<ThreadReader> ThreadReader::open_at(const spool::Layout& layout, std::string_view thread,
                                           std::int64_t offset, std::int64_t seq) {
  TRY_ASSIGN(UniqueFd fd, open_to_read(layout, thread));
  return ThreadReader(std::move(fd), layout.thread(thread), offset, seq - 1);
}

void ThreadReader::note_bad(std::int64_t offset, std::string reason) {
  ++bad_count_;
  if (bad_.size() >= kBadLinesKept) return;
  bad_.push_back({offset, counts_lines_ ? line_ : 0, std::move(reason)});
}

Result<std::optional<ThreadRecord>> ThreadReader::next() { return next_of({}); }

Result<std::optional<ThreadLine>> ThreadReader::next_line() {
  for (;;) {
    TRY_ASSIGN(const auto line, walk_.next());
    if (!line) return std::optional<ThreadLine>();
    ++line_;
    if (line->is_too_long) {
      ++bad_since_;
      note_bad(line->offset, "it is longer than a record can be");
      continue;
    }
    const auto head = read_thread_line_head(line->text);
    if (!head) {
      ++bad_since_;
      note_bad(line->offset, head.error());
      continue;
    }
    if (head->seq <= seq_) {
      note_bad(line->offset,
               fmt::format("its number {} is not above {}, which is before it", head->seq, seq_));
      continue;
    }
    if (head->seq > seq_ + 1 + bad_since_) {
      note_bad(line->offset, missing_text(seq_ + 1, head->seq - 1));
    }
    seq_ = head->seq;
    bad_since_ = 0;
    record_offset_ = line->offset;
    return std::optional(ThreadLine{line->text, *head});
  }
}

Result<ThreadReader> ThreadReader::open_at_run(const spool::Layout& layout, std::string_view thread,
                                               std::string_view run) {
  const auto place = find_run_place(layout, run);
  if (!place || !*place || (*place)->thread != thread) return open(layout, thread);
  // The note is a hint: what it names must be the run's first record.
  TRY_ASSIGN(const UniqueFd fd, open_to_read(layout, thread));
  ForwardWalk walk(fd.get(), layout.thread(thread), (*place)->offset, kThreadLineBytesMax);
  const auto line = walk.next();
  const auto first = line && *line ? parse_thread_line((*line)->text)
                                   : Result<ThreadRecord, std::string>(std::string("none"));
  if (!first || first->run != run || first->type != kRunBegun) return open(layout, thread);
  return open_at(layout, thread, (*place)->offset, first->seq);
}

std::optional<ThreadRecord> ThreadReader::record_of(const ThreadLine& line) {
  auto record = parse_thread_line(line.text);
  if (record) return *std::move(record);
  note_bad(record_offset_, std::move(record).error());
  return {};
}

Result<std::optional<ThreadRecord>> ThreadReader::next_of(std::string_view run) {
  for (;;) {
    TRY_ASSIGN(const auto line, next_line());
    if (!line) return std::optional<ThreadRecord>();
    if (!run.empty() && !names_run(line->text, run)) continue;
    auto record = record_of(*line);
    if (!record || (!run.empty() && record->run != run)) continue;
    return record;
  }
}

Result<ThreadCheck> read_thread(const spool::Layout& layout, std::string_view thread,
                                std::int64_t after_seq, const RecordVisit& visit) {
  TRY_ASSIGN(ThreadReader reader, ThreadReader::open(layout, thread));
  ThreadCheck check;
  for (bool goes_on = true; goes_on;) {
    TRY_ASSIGN(auto record, reader.next());
    if (!record) break;
    ++check.records;
    if (record->seq <= after_seq) continue;
    TRY_ASSIGN(goes_on, visit(std::move(*record)));
  }
  check.bad_count = reader.bad_count();
  check.bad = reader.bad();
  check.torn_bytes = reader.torn_bytes();
  return check;
}

Result<ThreadPage> read_last(const spool::Layout& layout, std::string_view thread,
                             std::size_t count) {
  TRY_ASSIGN(const UniqueFd fd, open_to_read(layout, thread));
  TRY_ASSIGN(BackwardWalk walk,
             BackwardWalk::open(fd.get(), layout.thread(thread), kThreadLineBytesMax));
  BackwardPage page(count);
  bool has_older = true;
  while (!page.is_full()) {
    TRY_ASSIGN(const auto line, walk.next());
    if (!line) has_older = false;
    if (!line) break;
    page.add(*line);
  }
  return page.finish(has_older);
}

}  // namespace filecall::client
