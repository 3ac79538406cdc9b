// SPDX-License-Identifier: MIT
#include "client/grades/grade_compaction.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>

#include "client/eval/pair_record.h"
#include "client/grades/grade_log.h"
#include "client/grades/line_compaction.h"
#include "client/grades/line_file.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

constexpr Duration kPatience = seconds(30);

/// Of several records of one evaluation and the same A and B the last one counts.
std::string place_of(const PairRecord& record) {
  return fmt::format("{}\n{}\n{}", record.a.request_id, record.b.request_id, record.evaluation);
}

/// A file of eval/ under its lock; nullopt: there is none.
struct LockedFile {
  spool::FileLock lock;
  UniqueFd fd;
};
Result<std::optional<LockedFile>> lock_file(const spool::Layout& layout, const std::string& path) {
  const auto there = open_regular(path, O_RDWR);
  if (!there && there.error().code == ErrorCode::kNotFound) return std::optional<LockedFile>();
  if (!there) return Unexpected(there.error());
  TRY_ASSIGN(spool::FileLock lock, spool::FileLock::acquire(layout.client_eval_lock(), kPatience));
  TRY_ASSIGN(UniqueFd fd, open_regular(path, O_RDWR));  // As it is under the lock.
  return std::optional(LockedFile{std::move(lock), std::move(fd)});
}

}  // namespace

Result<std::int64_t> compact_grades(const spool::Layout& layout, const IsGone& is_gone,
                                    bool dry_run) {
  TRY_ASSIGN(const auto file, lock_file(layout, layout.grades()));
  if (!file) return 0;
  TRY_ASSIGN(const GradeLog log, GradeLog::open(layout));
  if (log.is_torn()) return 0;  // The next evaluation sets the last line aside, and says so.
  const auto leaves_out = [&](std::string_view text, std::int64_t offset) {
    const auto record = parse_evaluation_line(text);
    return record && (is_gone(record->request_id) || !log.counts(*record, {offset, text.size()}));
  };
  return leave_out_lines(layout, layout.grades(), file->fd.get(), leaves_out, dry_run);
}

Result<std::int64_t> compact_preferences(const spool::Layout& layout, const IsGone& is_gone,
                                         bool dry_run) {
  const std::string path = layout.preferences();
  TRY_ASSIGN(const auto file, lock_file(layout, path));
  if (!file) return 0;
  std::map<std::string, std::int64_t> last;
  const auto note = [&](std::string_view text, std::int64_t offset) -> Result<void> {
    if (const auto record = parse_pair_record(text)) last[place_of(*record)] = offset;
    return {};
  };
  TRY_ASSIGN(const std::int64_t end, each_grade_line(file->fd.get(), 0, path, note));
  struct stat status {};
  if (::fstat(file->fd.get(), &status) != 0) return fail_errno(errno, path + ": stat");
  if (status.st_size > end) return 0;  // Torn: as for grades.
  const auto leaves_out = [&](std::string_view text, std::int64_t offset) {
    const auto record = parse_pair_record(text);
    return record && (is_gone(record->a.request_id) || is_gone(record->b.request_id) ||
                      last[place_of(*record)] != offset);
  };
  return leave_out_lines(layout, path, file->fd.get(), leaves_out, dry_run);
}

}  // namespace filecall::client
