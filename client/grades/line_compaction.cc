// SPDX-License-Identifier: MIT
#include "client/grades/line_compaction.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "client/grades/line_file.h"
#include "os/io.h"
#include "spool/publish.h"

namespace filecall::client {
namespace {

constexpr std::size_t kWriteBytes = 1 << 20;

/// Copies the lines that stay to `out` (-1: only adds them up); the bytes that are left out.
Result<std::int64_t> copy_lines(int in, int out, const std::string& path,
                                const LeavesOut& leaves_out) {
  std::string buffer;
  std::int64_t left_out = 0;
  const auto write = [&]() -> Result<void> {
    if (out >= 0) TRY(write_all(out, buffer, path));
    buffer.clear();
    return {};
  };
  TRY(each_grade_line(in, 0, path, [&](std::string_view text, std::int64_t offset) -> Result<void> {
    if (leaves_out(text, offset)) {
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

Result<std::int64_t> leave_out_lines(const spool::Layout& layout, const std::string& path, int in,
                                     const LeavesOut& leaves_out, bool dry_run) {
  TRY_ASSIGN(const std::int64_t freed, copy_lines(in, -1, path, leaves_out));
  if (freed == 0 || dry_run) return freed;
  TRY_ASSIGN(const UniqueFd directory, open_file(layout.eval(), O_RDONLY | O_DIRECTORY));
  const std::string temporary = layout.eval() + "/" + spool::next_temporary_name();
  TRY_ASSIGN(const UniqueFd out, open_file(temporary, O_WRONLY | O_CREAT | O_EXCL));
  const auto put_in_place = [&]() -> Result<void> {
    TRY(copy_lines(in, out.get(), path, leaves_out));
    if (::fdatasync(out.get()) != 0) return fail_errno(errno, temporary + ": sync");
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      return fail_errno(errno, temporary + ": rename");
    }
    return spool::sync_directory(directory.get());
  };
  const auto done = put_in_place();
  if (!done) {
    ::unlink(temporary.c_str());  // Gone already when only the directory's sync failed.
    return Unexpected(done.error());
  }
  return freed;
}

}  // namespace filecall::client
