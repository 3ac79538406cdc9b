// SPDX-License-Identifier: MIT
#include "client/engine/ending_process.h"

#include <fmt/core.h>

#include <charconv>
#include <csignal>
#include <cstdint>

#include "base/take_until.h"
#include "os/io.h"

namespace filecall::client {
namespace {

constexpr std::size_t kProcBytesMax = 64 * 1024;
/// PF_EXITING of linux/sched.h, in the field `flags` of proc_pid_stat(5).
constexpr std::uint64_t kExiting = 0x4;
constexpr int kFlagsAfterState = 6;

std::uint64_t number_of(std::string_view text, int base) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

bool has_kill_pending(std::string_view status) {
  constexpr std::uint64_t kKill = std::uint64_t{1} << (SIGKILL - 1);
  while (!status.empty()) {
    std::string_view line = take_until(&status, '\n');
    const std::string_view name = take_until(&line, ':');
    if ((name == "SigPnd" || name == "ShdPnd") && (number_of(line, 16) & kKill) != 0) return true;
  }
  return false;
}

}  // namespace

bool says_ending(std::string_view stat, std::string_view status) {
  if (has_kill_pending(status)) return true;
  // "812 (a name) S 1 812 812 0 -1 4194560 ...": the name may hold anything.
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return false;
  std::string_view rest = stat.substr(end + 2);
  const std::string_view state = take_until(&rest, ' ');
  if (state == "Z" || state == "X") return true;
  std::string_view field;
  for (int i = 0; i < kFlagsAfterState; ++i) field = take_until(&rest, ' ');
  return (number_of(field, 10) & kExiting) != 0;
}

bool is_ending(pid_t pid) {
  if (pid <= 0) return false;
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid), kProcBytesMax);
  const auto status = read_file(fmt::format("/proc/{}/status", pid), kProcBytesMax);
  return stat && status && says_ending(*stat, *status);
}

}  // namespace filecall::client
