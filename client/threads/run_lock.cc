// SPDX-License-Identifier: MIT
#include "client/threads/run_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "ipc/json_text.h"
#include "os/io.h"
#include "os/regular_file.h"

namespace filecall::client {
namespace {

constexpr std::size_t kHolderBytesMax = 4096;
/// Who only asks whether a run goes on holds the lock for an instant.
constexpr Duration kPatience = milliseconds(50);

}  // namespace

Result<spool::FileLock> lock_for_run(const spool::Layout& layout, const std::string& thread,
                                     const std::string& holder) {
  const std::string path = layout.thread_lock(thread);
  auto lock = spool::FileLock::acquire(path, kPatience);
  if (!lock && lock.error().code == ErrorCode::kUnavailable) {
    std::string who = read_regular_file(path, kHolderBytesMax).value_or(std::string());
    if (who.ends_with('\n')) who.pop_back();
    return fail(ErrorCode::kUnavailable,
                fmt::format("thread {}: {} goes on in it; wait for its end, cancel it, or use "
                            "another thread",
                            thread, who.empty() ? "another run" : excerpt(who, 200)));
  }
  if (!lock) return lock;
  TRY_ASSIGN(const UniqueFd fd, open_regular(path, O_WRONLY | O_TRUNC));
  TRY(write_all(fd.get(), holder + "\n", path));
  return lock;
}

std::string run_holder(std::string_view run) {
  return fmt::format("run {}, process {}", run, ::getpid());
}

bool is_driven(const spool::Layout& layout, const std::string& thread, std::string_view run) {
  const std::string path = layout.thread_lock(thread);
  const auto is_held = spool::FileLock::is_held(path);
  if (!is_held || !*is_held) return false;
  const std::string who = read_regular_file(path, kHolderBytesMax).value_or(std::string());
  return who.starts_with(fmt::format("run {}, ", run));
}

}  // namespace filecall::client
