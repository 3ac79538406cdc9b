// SPDX-License-Identifier: MIT
#pragma once

#include "base/error.h"

namespace filecall::client {

/// What the program's exit tells scripts.
enum ExitCode : int {
  kExitSuccess = 0,
  kExitGaveUp = 1,  ///< Some requests were given up; also any failure without a code of its own.
  kExitUsage = 2,   ///< Wrong usage or bad input; nothing was dropped.
  kExitNoWorker = 3,
  kExitThreshold = 4,  ///< A score or an error rate misses what was asked for.
  kExitLimit = 5,      ///< A limit of the run was reached; a higher one goes on.
  kExitDecision = 6,   ///< A person must decide: a run waits, or a proposal does not fit the files.
  kExitDisk = 74,      ///< The disk is full, or another resource at its end (EX_IOERR).
  kExitBusy = 75,      ///< Another process holds what is needed (sysexits.h: EX_TEMPFAIL).
  kExitInterrupted = 130,
};

/// The exit code for a failure that ends the program.
constexpr int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kOutOfRange:
      return kExitUsage;
    case ErrorCode::kResourceExhausted:
      return kExitDisk;
    case ErrorCode::kUnavailable:
      return kExitBusy;
    default:
      return kExitGaveUp;
  }
}

/// That of a command that does something for each of several requests, after one more failure:
/// the worst of them, a full disk first, then what was wrongly asked.
constexpr int worse_exit_code(int so_far, ErrorCode failure) {
  if (so_far == kExitDisk || exit_code_of(failure) == kExitDisk) return kExitDisk;
  if (so_far == kExitUsage || failure == ErrorCode::kInvalidArgument) return kExitUsage;
  return kExitGaveUp;
}

}  // namespace filecall::client
