// SPDX-License-Identifier: MIT
#include "client/threads/run_records.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "client/threads/thread_list.h"
#include "spool/own_directory.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::string_view kBegins = "run.begun";
constexpr std::string_view kEnds = "run.ended";

Unexpected<Error> records_are_gone(std::string_view run, std::string_view where) {
  return fail(ErrorCode::kDataLoss,
              fmt::format("run {}: its records are gone or damaged: {}", excerpt(run), where));
}

/// Keeps of what a reader passed over what may have been of the run.
class RunSpan {
 public:
  explicit RunSpan(const ThreadReader& reader) : reader_(reader) {}

  void take(const ThreadRecord& record) {
    if (!has_begun_) {
      has_begun_ = true;
      // What is damaged before its beginning is of others.
      starts_ = record.type == kBegins;
      first_bad_ = starts_ ? reader_.bad_count() : 0;
      first_offset_ = reader_.record_offset();
    }
    if (is_closed_) return;
    is_closed_ = closes_run(record);
    last_bad_ = reader_.bad_count();
  }

  void finish(ThreadPage& page) const {
    const std::int64_t end = is_closed_ ? last_bad_ : reader_.bad_count();
    const std::vector<BadLine>& all = reader_.bad();
    for (std::int64_t i = first_bad_; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (at >= all.size()) break;
      page.bad.push_back(all[at]);
    }
    if (page.bad.empty() && end > first_bad_) {
      page.bad.push_back({first_offset_, 0, "damaged lines follow it"});
    }
    if (page.bad.empty() && !starts_) {
      page.bad.push_back({first_offset_, 0, "the record of the run's beginning is missing"});
    }
    page.complete = page.bad.empty();
  }

 private:
  const ThreadReader& reader_;
  bool has_begun_ = false;
  bool starts_ = false;
  bool is_closed_ = false;
  std::int64_t first_offset_ = 0;
  std::int64_t first_bad_ = 0;  ///< So many were passed over before its first record,
  std::int64_t last_bad_ = 0;   ///< and before its last one.
};

/// The place of a run in a thread, which is read whole. A record of its own will do: that of its
/// beginning may be damaged.
Result<std::optional<RunPlace>> place_in(const spool::Layout& layout, const std::string& thread,
                                         std::string_view run) {
  TRY_ASSIGN(ThreadReader reader, ThreadReader::open(layout, thread));
  TRY_ASSIGN(const auto record, reader.next_of(run));
  if (!record) return std::optional<RunPlace>();
  return std::optional(RunPlace{thread, reader.record_offset()});
}

}  // namespace

bool closes_run(const ThreadRecord& record) {
  if (record.type != kEnds) return false;
  const auto status = record.data.find("status");
  return status == record.data.end() || *status != "budget";
}

Result<ThreadPage> read_run(const spool::Layout& layout, std::string_view thread,
                            std::string_view run) {
  const auto noted = find_run_place(layout, run);
  const bool is_noted = noted && *noted && (*noted)->thread == thread;
  auto opened = ThreadReader::open_at_run(layout, thread, run);
  if (!opened && opened.error().code == ErrorCode::kNotFound && is_noted) {
    return records_are_gone(run, layout.thread(thread) + ": there is no such file");
  }
  if (!opened) return Unexpected(opened.error());
  ThreadReader& reader = *opened;
  ThreadPage page;
  RunSpan span(reader);
  for (;;) {
    TRY_ASSIGN(auto record, reader.next_of(run));
    if (!record) break;
    span.take(*record);
    page.records.push_back(std::move(*record));
  }
  if (!page.records.empty()) {
    span.finish(page);
    return page;
  }
  // A client that was killed between the note and the first record leaves the thread whole.
  if (is_noted && reader.bad_count() > 0) {
    return records_are_gone(run, bad_line_text(layout.thread(thread), reader.bad()[0]));
  }
  const std::int64_t bytes = reader.offset() + static_cast<std::int64_t>(reader.torn_bytes());
  if (is_noted && bytes < (*noted)->offset) {
    return records_are_gone(run, layout.thread(thread) + ": it ends before they begin");
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("run {}: none of that id was begun in thread {}", excerpt(run), thread));
}

Result<std::optional<RunPlace>> look_for_run(const spool::Layout& layout, std::string_view run) {
  auto noted = find_run_place(layout, run);
  if (noted && *noted) return noted;
  if (!noted && noted.error().code != ErrorCode::kDataLoss) return noted;
  TRY_ASSIGN(const ThreadListing threads, list_threads(layout));
  for (const ThreadSummary& thread : threads.threads) {
    auto place = place_in(layout, thread.id, run);
    if (place && *place) return place;
  }
  return noted;
}

Result<std::vector<std::string>> noted_runs(const spool::Layout& layout) {
  std::vector<std::string> runs;
  const auto folder = spool::open_own_directory(layout.threads_runs(), false);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return runs;
  if (!folder) return Unexpected(folder.error());
  TRY(spool::read_directory(folder->get(), [&runs](const spool::DirectoryEntry& entry) {
    if (const auto run = spool::Layout::stem_of(entry.name)) runs.emplace_back(*run);
  }));
  return runs;
}

}  // namespace filecall::client
