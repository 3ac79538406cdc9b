// SPDX-License-Identifier: MIT
#pragma once

namespace filecall {

/// Prints "file:line: CHECK failed: condition: why" to stderr and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const char* why);

}  // namespace filecall

/// A programmer error ends the process, in release builds too: continuing on a broken invariant
/// could lose a user's data. `why` says the rule, for the person who reads the crash.
#define CHECK(condition, why)                                             \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::filecall::check_failed(__FILE_NAME__, __LINE__, #condition, why); \
  } while (false)
