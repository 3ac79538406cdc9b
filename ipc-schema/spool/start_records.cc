// SPDX-License-Identifier: MIT
#include "spool/start_records.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/log.h"
#include "ipc/limits.h"
#include "ipc/response.h"
#include "os/clock.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/publish.h"
#include "spool/scan.h"

namespace filecall::spool {
namespace {

Result<std::vector<StartRecordName>> list_records(const Directories& directories) {
  std::vector<StartRecordName> out;
  TRY(read_directory(directories.worker_started.get(), [&](const DirectoryEntry& entry) {
    if (auto record = StartRecordName::parse(entry.name)) {
      out.push_back(std::move(*record));
    } else {
      log_warn("worker/started/{}: not a start record; left alone", entry.name);
    }
  }));
  // Of several records of one stem the latest start counts and comes first; a start with effects
  // outweighs one without.
  std::sort(out.begin(), out.end(), [](const StartRecordName& a, const StartRecordName& b) {
    if (a.stem != b.stem) return a.stem < b.stem;
    if (a.effects != b.effects) return a.effects > b.effects;
    return a.starts > b.starts;
  });
  return out;
}

bool is_answered(const Directories& directories, const std::string& stem) {
  return ::faccessat(directories.responses.get(), Layout::file_name(stem).c_str(), F_OK, 0) == 0;
}

bool is_file(const Directories& directories, const StartRecordName& record) {
  struct stat info {};
  return ::fstatat(directories.worker_started.get(), record.format().c_str(), &info,
                   AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info.st_mode);
}

/// The complete answer that a record holds; empty when it holds none.
Result<std::string> answer_in(const Directories& directories, const StartRecordName& record) {
  const std::string name = record.format();
  TRY_ASSIGN(const UniqueFd fd,
             open_regular_at(directories.worker_started.get(), name, O_RDONLY, "worker/started"));
  TRY_ASSIGN(std::string bytes, read_all(fd.get(), limits::kResponseBytesMax, name));
  if (!parse_response(bytes, record.stem)) return std::string();
  return bytes;
}

/// True: the record's answer is published and the record is gone.
Result<bool> roll_forward(const Directories& directories, const StartRecordName& record,
                          Durability durability) {
  TRY_ASSIGN(const std::string bytes, answer_in(directories, record));
  if (bytes.empty()) return false;
  const std::string final_name = Layout::file_name(record.stem);
  const int responses = directories.responses.get();
  if (directories.staging_is_shared) {
    TRY_ASSIGN(const Publication published,
               publish_staged(directories.worker_started.get(), record.format(), responses,
                              final_name, durability));
    if (published == Publication::kPublished) return true;
  } else {
    const std::string temporary = next_temporary_name();
    TRY(publish_new({responses, temporary, responses, final_name, bytes, durability, false,
                     directories.file_mode}));
  }
  TRY(remove_start_record(directories, record));
  return true;
}

}  // namespace

Result<void> write_start_record(const Directories& directories, const StartRecordName& record,
                                std::string_view json, Durability durability) {
  const int started = directories.worker_started.get();
  const std::string name = record.format();
  if (record.starts > 1) {
    // First the name, in one step: at no time do two records, or none, tell of this request.
    const std::string before =
        StartRecordName{record.stem, record.starts - 1, record.effects}.format();
    if (::renameat(started, before.c_str(), started, name.c_str()) != 0 && errno != ENOENT) {
      return fail_errno(errno, fmt::format("worker/started/{}: rename", name));
    }
  }
  TRY_ASSIGN(const UniqueFd fd,
             open_regular_at(started, name, O_WRONLY | O_CREAT | O_TRUNC, "worker/started"));
  // It becomes the response. What is written over in place keeps its mode.
  TRY(set_file_mode(fd.get(), directories.file_mode, "worker/started/" + name));
  TRY(write_all(fd.get(), json, name));
  if (durability == Durability::kNone) return {};
  if (::fsync(fd.get()) != 0) {
    return fail_errno(errno, fmt::format("worker/started/{}: fsync", name));
  }
  if (durability == Durability::kFull) return sync_directory(started);
  return {};
}

Result<void> remove_start_record(const Directories& directories, const StartRecordName& record) {
  const std::string name = record.format();
  if (::unlinkat(directories.worker_started.get(), name.c_str(), 0) == 0 || errno == ENOENT) {
    return {};
  }
  return fail_errno(errno, fmt::format("worker/started/{}: remove", name));
}

std::optional<WallTime> recorded_start(const Layout& layout, std::string_view stem) {
  for (int starts = 1; starts <= limits::kStartsMax; ++starts) {
    for (const Effects effects : {Effects::kNone, Effects::kExternal}) {
      const std::string name = StartRecordName{std::string(stem), starts, effects}.format();
      struct stat info {};
      if (::lstat((layout.worker_started() + "/" + name).c_str(), &info) == 0) {
        return wall_time_of(info.st_mtim);
      }
    }
  }
  return std::nullopt;
}

bool has_start_record(const Layout& layout, std::string_view stem) {
  return recorded_start(layout, stem).has_value();
}

Result<std::vector<StartRecordName>> recover_start_records(const Directories& directories,
                                                           Durability durability) {
  TRY_ASSIGN(auto records, list_records(directories));
  std::vector<StartRecordName> interrupted;
  bool has_published = false;
  for (StartRecordName& record : records) {
    if (!is_file(directories, record)) {
      log_warn("worker/started/{}: is not a regular file; skipped", record.format());
      ::unlinkat(directories.worker_started.get(), record.format().c_str(), 0);
      continue;
    }
    if (is_answered(directories, record.stem)) {
      TRY(remove_start_record(directories, record));
      continue;
    }
    TRY_ASSIGN(const bool published, roll_forward(directories, record, durability));
    if (published) {
      has_published = true;
      log_info("{}: the response of an interrupted run was complete; published", record.stem);
    } else if (!interrupted.empty() && interrupted.back().stem == record.stem) {
      TRY(remove_start_record(directories, record));
    } else {
      interrupted.push_back(std::move(record));
    }
  }
  if (has_published && durability == Durability::kFull) {
    TRY(sync_directory(directories.responses.get()));
  }
  return interrupted;
}

}  // namespace filecall::spool
