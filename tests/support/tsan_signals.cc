// SPDX-License-Identifier: MIT
//
// Part of every program that is built with ThreadSanitizer, and of no other.
//
// Its runtime notes a signal in a table of the thread and calls the program's handler later. It
// makes that table at the thread's first call that may wait. If a signal arrives while it does, the
// signal is noted in a second table, which the first one then replaces, and the handler is never
// called. A worker waits for the first time right after it has said that it is ready, and tests
// stop it in that moment. (Seen in clang 14: `SigCtx` in tsan_interceptors_posix.cpp does not look
// again before it stores the table.) So the main thread waits once before it listens to signals.
#include <poll.h>

namespace {

[[maybe_unused]] const int kWaited = poll(nullptr, 0, 0);

}  // namespace
