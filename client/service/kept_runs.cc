// SPDX-License-Identifier: MIT
#include "client/service/kept_runs.h"

#include <utility>
#include <vector>

#include "client/threads/run_records.h"
#include "client/threads/spilled_data.h"
#include "spool/own_directory.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

bool tells_of_runs(std::string_view type) {
  return type == "run.begun" || type == "run.ended" || type == "thread.deleted";
}

std::string catalog_in(const Json& data) {
  const auto named = data.find("catalog_request");
  return named != data.end() && named->is_string() ? named->get<std::string>() : std::string();
}

}  // namespace

bool KeptRuns::need(std::string_view request_id) const {
  // No run's id has a dot in it.
  return runs_.contains(request_id.substr(0, request_id.find('.'))) ||
         catalogs_.contains(request_id);
}

Result<KeptRuns> KeptRuns::look(const spool::Layout& layout) {
  KeptRuns kept;
  const auto folder = spool::open_own_directory(layout.threads(), false);
  if (!folder && folder.error().code == ErrorCode::kNotFound) return kept;
  if (!folder) return Unexpected(folder.error());
  std::vector<std::string> threads;
  TRY(spool::read_directory(folder->get(), [&](const spool::DirectoryEntry& entry) {
    if (const auto thread = spool::Layout::thread_of_name(entry.name)) {
      threads.emplace_back(*thread);
    }
  }));
  for (const std::string& thread : threads) {
    if (const auto read = kept.read(layout, thread); !read) kept.damaged_.insert(thread);
  }
  if (!kept.damaged_.empty()) TRY(kept.add_noted(layout));
  return kept;
}

Result<void> KeptRuns::take(const spool::Layout& layout, const ThreadRecord& record,
                            Catalogs& open) {
  if (record.type == "thread.deleted") {  // None of it goes on.
    open.clear();
  } else if (closes_run(record)) {
    open.erase(record.run);
  } else if (record.type == "run.begun") {
    TRY_ASSIGN(const Json data, whole_value(layout, record.data));
    open.insert_or_assign(record.run, catalog_in(data));
  }
  return {};
}

Result<void> KeptRuns::read(const spool::Layout& layout, const std::string& thread) {
  TRY_ASSIGN(ThreadReader reader, ThreadReader::open(layout, thread));
  Catalogs open;
  for (;;) {
    TRY_ASSIGN(const auto line, reader.next_line());
    if (!line) break;
    if (!tells_of_runs(line->head.type)) continue;
    const auto record = reader.record_of(*line);
    if (!record) continue;  // It counts as damaged below.
    if (const auto taken = take(layout, *record, open); !taken) {
      open.try_emplace(record->run);
    }
  }
  for (auto& [run, catalog] : open) {
    runs_.insert(run);
    if (!catalog.empty()) catalogs_.insert(std::move(catalog));
  }
  if (reader.bad_count() > 0) damaged_.insert(thread);
  return {};
}

/// What became of the runs of a damaged thread is not known.
Result<void> KeptRuns::add_noted(const spool::Layout& layout) {
  TRY_ASSIGN(std::vector<std::string> noted, noted_runs(layout));
  for (std::string& run : noted) {
    const auto place = find_run_place(layout, run);
    if (place && *place && !damaged_.contains((*place)->thread)) continue;
    runs_.insert(std::move(run));
  }
  return {};
}

}  // namespace filecall::client
