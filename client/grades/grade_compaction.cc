// SPDX-License-Identifier: MIT
#include "client/grades/grade_compaction.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "client/grades/grade_log.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/lock.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr Duration kPatience = seconds(30);
constexpr std::size_t kWriteBytes = 1 << 20;

/// Copies the lines that count to `out` (-1: only adds them up); the bytes that are left out.
Result<std::int64_t> copy_lines(int in, int out, const spool::Layout& layout, const GradeLog& log,
                                const std::function<bool(std::string_view id)>& is_gone) {
  std::string buffer;
  std::int64_t left_out = 0;
  const auto write = [&]() -> Result<void> {
    if (out >= 0) TRY(write_all(out, buffer, layout.grades()));
    buffer.clear();
    return {};
  };
  TRY(each_grade_line(
      in, 0, layout.grades(), [&](std::string_view text, std::int64_t offset) -> Result<void> {
        const auto record = parse_evaluation_line(text);
        if (record &&
            (is_gone(record->request_id) || !log.counts(*record, {offset, text.size()}))) {
          left_out += static_cast<std::int64_t>(text.size()) + 1;
          return {};
        }
        buffer.append(text).append("\n");
        return buffer.size() < kWriteBytes ? Result<void>() : write();
      }));
  TRY(write());
  return left_out;
}

}  // namespace

Result<std::int64_t> compact_grades(const spool::Layout& layout,
                                    const std::function<bool(std::string_view id)>& is_gone,
                                    bool dry_run) {
  auto in = open_regular(layout.grades(), O_RDWR);
  if (!in && in.error().code == ErrorCode::kNotFound) return 0;
  if (!in) return Unexpected(in.error());
  TRY_ASSIGN(const spool::FileLock lock,
             spool::FileLock::acquire(layout.client_eval_lock(), kPatience));
  TRY_ASSIGN(in, open_regular(layout.grades(), O_RDWR));  // As it is under the lock.
  TRY_ASSIGN(const GradeLog log, GradeLog::open(layout));
  if (log.is_torn()) return 0;  // The next evaluation sets the last line aside, and says so.
  TRY_ASSIGN(const std::int64_t freed, copy_lines(in->get(), -1, layout, log, is_gone));
  if (freed == 0 || dry_run) return freed;
  TRY_ASSIGN(const UniqueFd directory, open_file(layout.eval(), O_RDONLY | O_DIRECTORY));
  const std::string name = spool::next_temporary_name();
  const std::string path = layout.eval() + "/" + name;
  TRY_ASSIGN(const UniqueFd out, open_file(path, O_WRONLY | O_CREAT | O_EXCL));
  const auto put_in_place = [&]() -> Result<void> {
    TRY(copy_lines(in->get(), out.get(), layout, log, is_gone));
    if (::fdatasync(out.get()) != 0) return fail_errno(errno, path + ": sync");
    if (::rename(path.c_str(), layout.grades().c_str()) != 0) {
      return fail_errno(errno, path + ": rename");
    }
    return spool::sync_directory(directory.get());
  };
  const auto done = put_in_place();
  if (!done) {
    ::unlink(path.c_str());  // Gone already when only the directory's sync failed.
    return Unexpected(done.error());
  }
  return freed;
}

}  // namespace filecall::client
