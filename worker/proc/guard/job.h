// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/proc/guard/report.h"

/// What the worker asks a serving filecall-guard for: one job is one guard and its tool.
namespace filecall::worker::guard {

/// The guard server's end of the socket (SOCK_SEQPACKET) that jobs come over.
inline constexpr int kJobsFd = 3;

/// The descriptors of a job's message: those that the guard is started with, then its text.
inline constexpr int kJobStreams = kCwdFd + 1;
inline constexpr int kJobDescriptors = kJobStreams + 1;

/// Where a guard has the text, until its tool has started. In the server this place and all below
/// are taken, so that what it opens never lies where a guard has something.
inline constexpr int kJobTextFd = kJobStreams;
inline constexpr int kGuardDescriptors = kJobTextFd + 1;

/// The message; its text lies in a file without a name, because argv and environment are larger
/// than what a socket takes.
struct JobMessage {
  std::uint32_t magic = kReportMagic;
  std::uint32_t arguments = 0;  ///< Words of parse_options(), the program's name included.
  std::uint32_t variables = 0;  ///< Of the tool's environment.
  std::uint64_t text_bytes = 0;
};

/// The text: all arguments, then all variables, each ended by a null byte. Pure.
std::string job_text(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& variables);

/// Points into the text: `arguments` and then `variables` null-ended strings, each list ended by a
/// null pointer. False when the text does not hold exactly so many. Pure.
bool split_job(const JobMessage& message, char* text, std::vector<char*>* arguments,
               std::vector<char*>* variables);

}  // namespace filecall::worker::guard
