// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

/// What the worker and filecall-guard say to each other. Both come from one build; the magic number
/// refuses a guard of another version.
namespace filecall::worker::guard {

/// Descriptors that the guard is started with, besides the tool's 0, 1 and 2.
inline constexpr int kControlFd = 3;  ///< Read end; a byte or the end of file means "end the tool".
inline constexpr int kReportFd = 4;   ///< Write end; a Greeting first, a Report at the end.
inline constexpr int kCwdFd = 5;      ///< The directory the tool starts in.

inline constexpr std::uint32_t kReportMagic = 0x46434735;  // "FCG5"

/// What the guard was doing when the tool could not be started.
enum class Step : std::uint32_t {
  kNone,
  kFork,
  kDirectory,
  kLimits,
  kConfine,
  kExec,
  kNamespaces,
  kMounts,
  kProtect,
  kCapabilities,
  kLandlock,
  kSeccomp,
  kGroup,
};

/// Why the tool could not be started; `step` is kNone when it was.
struct StepFailure {
  Step step = Step::kNone;
  std::int32_t error = 0;  ///< An errno value.
  char place[120] = {};    ///< The path it is about, cut when it is longer; or empty.

  explicit operator bool() const { return step != Step::kNone; }
};

inline StepFailure failed_at(Step step, int error, const char* place = "") {
  StepFailure failure{step, error, {}};
  std::strncpy(failure.place, place, sizeof failure.place - 1);
  return failure;
}

/// What a guard says before it starts the tool: no Greeting, and nothing has run.
struct Greeting {
  std::uint32_t magic = kReportMagic;
  std::int32_t guard = 0;  ///< Its process id.
};

struct Report {
  std::uint32_t magic = kReportMagic;
  std::int32_t exit_code = -1;  ///< 0..255, or -1 when it ended by a signal or never started.
  std::int32_t signal = 0;      ///< The signal that ended it, or 0.
  StepFailure failure;          ///< Why it never started.
  std::uint32_t was_cancelled =
      0;                          ///< 1: the worker asked the guard to end it (or the worker died).
  std::uint32_t survivors = 0;    ///< 1: descendants were still alive when the guard gave up.
  std::uint32_t is_confined = 0;  ///< 1: its file tree is not the host's.
  std::int64_t duration_us = 0;   ///< From fork to the end of the tool's main process.
  std::int64_t user_us = 0;       ///< CPU of the tool and of all descendants that were reaped.
  std::int64_t system_us = 0;
  std::int64_t max_rss_kib = 0;  ///< Of the largest single process.
  /// Bare repositories that the tool left (bare_repositories.h), and as many of them as have room:
  /// each its folder and the new name of its HEAD, both ended by a null byte.
  std::uint32_t repositories = 0;
  std::uint32_t repositories_bytes = 0;
  char repositories_text[1024] = {};
};

}  // namespace filecall::worker::guard
