// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// A library for LD_PRELOAD that counts the file operations a program does beneath one directory
/// and lets the N-th fail, fall short, or be the program's last. Told by the environment:
///   FAULTS_ROOT     the directory, an absolute path without symbolic links; unset: do nothing
///   FAULTS_PROGRAM  base name of the only program that is meant (children inherit LD_PRELOAD)
///   FAULTS_MODE     count, fail, short, crash-before, crash-after, crash-torn (half a write)
///   FAULTS_AT       the N of "the N-th matching operation", from 1
///   FAULTS_TIMES    how many operations from there on (default 1)
///   FAULTS_CRASH_AT also crash before this operation (after a failure has been told)
///   FAULTS_ERRNO    EIO, ENOSPC, EMFILE, EINTR, ENOENT, EACCES, EROFS; for mode fail
///   FAULTS_OPS      comma-separated names of operations that match (default: all)
///   FAULTS_REPORT   a file that receives two little-endian 64-bit numbers: matching operations
///                   seen, faults injected
///   FAULTS_TRACE    a file to which every matching operation is appended, one a line
///   FAULTS_FORGET   what a crash leaves of what was not synced; see shadow.h
///   FAULTS_BOOT     a file that is read in the stead of the kernel's boot id
///   FAULTS_GRAVE    an existing directory on the root's file system, outside the root; for forget
namespace faults {

enum class Op : std::uint8_t {
  kOpen,
  kCreate,  ///< An open with O_CREAT.
  kRead,
  kWrite,
  kClose,
  kSync,
  kTruncate,
  kRename,
  kLink,
  kUnlink,
  kMkdir,
  kList,
  kWatch,
};
inline constexpr int kOpCount = 13;
std::string_view to_string(Op op);

enum class Mode : std::uint8_t { kCount, kFail, kShort, kCrashBefore, kCrashAfter, kCrashTorn };

struct Plan {
  std::string root;  ///< Empty: nothing is interposed.
  std::string forget;
  std::string grave;
  std::string boot;
  Mode mode = Mode::kCount;
  std::uint64_t at = 0;
  std::uint64_t times = 1;
  std::uint64_t crash_at = 0;
  int error = 0;
  std::uint32_t ops = ~0U;
  int pid = 0;  ///< Of the process that is meant; a forked child is none.

  bool covers(std::string_view path) const;
};

/// The plan of this process, read once. Any thread.
const Plan& plan();
/// Whether this process (not a fork of it) has a plan and this thread is not inside the library.
bool is_on();

enum class Verdict : std::uint8_t { kPass, kFail, kShort, kCrashBefore, kCrashAfter, kCrashTorn };
/// Counts one operation and says what becomes of it.
Verdict judge(Op op, std::string_view path);
/// Ends the process as SIGKILL does, after forgetting what the plan wants forgotten. The caller
/// holds the Turn.
[[noreturn]] void crash();

/// One operation at a time when there is something to remember about it; otherwise no lock. Also
/// marks the thread as inside the library.
class Turn {
 public:
  Turn();
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  bool locked_;
};

void fail_with_planned_error();

/// Runs `call`, which does the operation for real and remembers what it must, under the plan.
template <typename Call>
auto perform(Op op, std::string_view path, Call call) -> decltype(call()) {
  const Turn turn;
  const Verdict verdict = judge(op, path);
  if (verdict == Verdict::kCrashBefore) crash();
  if (verdict == Verdict::kFail) {
    // Linux has closed the descriptor even when close() fails.
    if (op == Op::kClose) call();
    fail_with_planned_error();
    return static_cast<decltype(call())>(-1);
  }
  auto result = call();
  if (verdict == Verdict::kCrashAfter || verdict == Verdict::kCrashTorn) crash();
  return result;
}

}  // namespace faults
