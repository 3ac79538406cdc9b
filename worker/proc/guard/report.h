// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// What the worker and filecall-guard say to each other. Both come from one build; the magic number
/// refuses a guard of another version.
namespace filecall::worker::guard {

/// Descriptors that the guard is started with, besides the tool's 0, 1 and 2.
inline constexpr int kControlFd = 3;  ///< Read end; a byte or the end of file means "end the tool".
inline constexpr int kReportFd = 4;   ///< Write end; one Report, at the end.
inline constexpr int kCwdFd = 5;      ///< The directory the tool starts in.

inline constexpr std::uint32_t kReportMagic = 0x46434731;  // "FCG1"

/// What the guard was doing when the tool could not be started.
enum class Step : std::uint32_t { kNone, kFork, kDirectory, kLimits, kConfine, kExec };

struct Report {
  std::uint32_t magic = kReportMagic;
  std::int32_t exit_code = -1;   ///< 0..255, or -1 when it ended by a signal or never started.
  std::int32_t signal = 0;       ///< The signal that ended it, or 0.
  std::int32_t start_errno = 0;  ///< Why it never started, or 0; `failed_step` says where.
  Step failed_step = Step::kNone;
  std::uint32_t was_cancelled = 0;  ///< 1: the guard was told to end it (or the worker died).
  std::uint32_t survivors = 0;      ///< 1: descendants were still alive when the guard gave up.
  std::uint32_t reserved = 0;
  std::int64_t duration_us = 0;  ///< From fork to the end of the tool's main process.
  std::int64_t user_us = 0;      ///< CPU of the tool and of all descendants that were reaped.
  std::int64_t system_us = 0;
  std::int64_t max_rss_kib = 0;  ///< Of the largest single process.
};

}  // namespace filecall::worker::guard
