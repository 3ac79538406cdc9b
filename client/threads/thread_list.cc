// SPDX-License-Identifier: MIT
#include "client/threads/thread_list.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "ipc/json_member.h"
#include "os/side_by_side.h"
#include "spool/own_directory.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

constexpr std::string_view kThreadCreated = "thread.created";
constexpr std::size_t kThreadsAtOnce = 64;
constexpr std::size_t kProcessorsMax = 8;

/// What records of the thread itself say.
void take_record(const ThreadRecord& record, ThreadSummary& summary) {
  if (record.type == "thread.deleted") summary.is_deleted = true;
  if (record.type == "thread.renamed") summary.title = string_member(record.data, "title");
  if (record.type != kThreadCreated) return;
  summary.is_deleted = false;
  summary.created_at = record.at;
  summary.title = string_member(record.data, "title");
  summary.parent = string_member(record.data, "parent");
  const auto seq = record.data.find("parent_seq");
  if (seq != record.data.end() && seq->is_number_unsigned()) {
    summary.parent_seq = seq->get<std::int64_t>();
  }
}

/// The title of a record that says nothing else, as nearly all do; nullopt: it is to be taken
/// apart.
std::optional<std::string_view> plain_title(const ThreadLine& line) {
  constexpr std::string_view kBegin = R"("type":"thread.created","data":{"title":")";
  constexpr std::string_view kEnd = R"("},"check":")";
  const std::size_t begin = line.text.find(kBegin);
  if (line.head.type != kThreadCreated || begin == std::string_view::npos) return {};
  const std::string_view rest = line.text.substr(begin + kBegin.size());
  const std::size_t end = rest.find_first_of("\"\\");
  if (end == std::string_view::npos || !rest.substr(end).starts_with(kEnd)) return {};
  return rest.substr(0, end);
}

void take_created(std::string_view title, std::string_view at, ThreadSummary& summary) {
  summary.is_deleted = false;
  summary.created_at = at;
  summary.title = title;
  summary.parent.clear();
  summary.parent_seq = 0;
}

Result<ThreadSummary> summary_of(ThreadReader reader, std::string_view thread) {
  ThreadSummary summary;
  summary.id = thread;
  for (;;) {
    TRY_ASSIGN(const auto line, reader.next_line());
    if (!line) break;
    ++summary.records;
    summary.updated_at = line->head.at;
    if (line->head.type == "run.begun") ++summary.runs;
    if (!line->head.type.starts_with("thread.")) continue;
    if (line->head.type == kThreadCreated) {  // What was deleted before is not counted.
      summary.records = 1;
      summary.runs = 0;
    }
    if (const auto title = plain_title(*line)) {
      take_created(*title, line->head.at, summary);
      continue;
    }
    if (const auto record = reader.record_of(*line)) take_record(*record, summary);
  }
  summary.bytes = reader.offset() + static_cast<std::int64_t>(reader.torn_bytes());
  summary.bad_count = reader.bad_count() + (reader.torn_bytes() > 0 ? 1 : 0);
  return summary;
}

}  // namespace

Result<ThreadSummary> summarise_thread(const spool::Layout& layout, std::string_view thread) {
  TRY_ASSIGN(ThreadReader reader, ThreadReader::open(layout, thread));
  return summary_of(std::move(reader), thread);
}

Result<ThreadListing> list_threads(const spool::Layout& layout) {
  ThreadListing listing;
  const auto folder = spool::open_own_directory(layout.threads(), false);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return listing;
  if (!folder) return Unexpected(folder.error());
  std::vector<std::string> ids;
  TRY(spool::read_directory(folder->get(), [&](const spool::DirectoryEntry& entry) {
    const auto id = spool::Layout::thread_of_name(entry.name);
    if (!id) return;
    if (entry.may_be_regular) {
      ids.emplace_back(*id);
    } else {
      listing.unreadable.push_back(layout.thread(*id) + ": is no regular file, so no thread");
    }
  }));
  std::vector<std::optional<Result<ThreadSummary>>> found(ids.size());
  const std::size_t cpus = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  side_by_side(ids.size(), {std::min(cpus, kProcessorsMax), kThreadsAtOnce}, [&](std::size_t i) {
    auto reader = ThreadReader::open_in(folder->get(), layout, ids[i]);
    found[i] = reader ? summary_of(*std::move(reader), ids[i])
                      : Result<ThreadSummary>(Unexpected(reader.error()));
  });
  for (auto& one : found) {
    if (*one) {
      listing.threads.push_back(*std::move(*one));
    } else {
      listing.unreadable.push_back(one->error().message);
    }
  }
  std::sort(listing.threads.begin(), listing.threads.end(), [](const auto& a, const auto& b) {
    return a.updated_at != b.updated_at ? a.updated_at > b.updated_at : a.id < b.id;
  });
  return listing;
}

}  // namespace filecall::client
