// SPDX-License-Identifier: MIT
#include "spool/answers.h"

#include <fmt/core.h>
#include <unistd.h>

#include <string>

#include "spool/scan.h"
#include "spool/start_records.h"

namespace filecall::spool {
namespace {

constexpr int kLateCopiesMax = 1000;

/// `all`: nothing but temporaries belongs there.
Result<void> sweep(int directory_fd, bool all) {
  return read_directory(directory_fd, [&](const DirectoryEntry& entry) {
    if (all || Layout::is_temporary(entry.name)) {
      ::unlinkat(directory_fd, std::string(entry.name).c_str(), 0);
    }
  });
}

}  // namespace

Result<void> Answers::record_start(const StartRecordName& record, std::string_view json) {
  return write_start_record(*root_.directories(), record, json, durability_);
}

Result<void> Answers::forget_start(const StartRecordName& record) {
  return remove_start_record(*root_.directories(), record);
}

Result<Publication> Answers::publish(std::string_view stem, std::string_view bytes,
                                     const std::optional<StartRecordName>& record) {
  const auto directories = root_.directories();
  const std::string final_name = Layout::file_name(stem);
  Result<Publication> published = Publication::kPublished;
  if (record) {
    published = publish_with_record(*directories, final_name, bytes, *record);
  } else {
    const int responses = directories->responses.get();
    const std::string temporary = next_temporary_name();
    published = publish_new({staging_of(*directories), temporary, responses, final_name, bytes,
                             durability_, false, directories->file_mode});
  }
  return published;
}

Result<Publication> Answers::publish_with_record(const Directories& directories,
                                                 const std::string& final_name,
                                                 std::string_view bytes,
                                                 const StartRecordName& record) {
  const int responses = directories.responses.get();
  Result<Publication> published = Publication::kPublished;
  if (directories.staging_is_shared) {
    published = publish_new({directories.worker_started.get(), record.format(), responses,
                             final_name, bytes, durability_, true, directories.file_mode});
    if (!published || *published == Publication::kPublished) return published;
  } else {
    const std::string temporary = next_temporary_name();
    published = publish_new({responses, temporary, responses, final_name, bytes, durability_, false,
                             directories.file_mode});
    if (!published) return published;
    // The record may go only after the response is there to stay: without the directory's sync a
    // power cut could take the response and leave no record.
    if (durability_ == Durability::kFull) TRY(sync_directory(responses));
  }
  TRY(remove_start_record(directories, record));
  return published;
}

Result<void> Answers::sync_published() {
  if (durability_ != Durability::kFull) return {};
  return sync_directory(root_.directories()->responses.get());
}

Result<void> Answers::keep_late(std::string_view stem, std::string_view bytes) {
  return keep_late_copy(*root_.directories(), stem, bytes, durability_);
}

Result<void> keep_late_copy(const Directories& directories, std::string_view stem,
                            std::string_view bytes, Durability durability) {
  const int late = directories.worker_late.get();
  for (int copy = 1; copy <= kLateCopiesMax; ++copy) {
    const std::string name =
        copy == 1 ? Layout::file_name(stem) : fmt::format("{}.{}.json", stem, copy);
    const std::string temporary = next_temporary_name();
    TRY_ASSIGN(const Publication published,
               publish_new({late, temporary, late, name, bytes, durability}));
    if (published == Publication::kPublished) return {};
  }
  return fail(ErrorCode::kResourceExhausted,
              fmt::format("worker/late/{}: {} late responses are kept already; look at them and "
                          "remove them",
                          stem, kLateCopiesMax));
}

Result<void> sweep_temporaries(const Directories& directories) {
  TRY(sweep(directories.worker_tmp.get(), true));
  TRY(sweep(directories.worker.get(), false));
  return sweep(directories.worker_late.get(), false);
}

}  // namespace filecall::spool
