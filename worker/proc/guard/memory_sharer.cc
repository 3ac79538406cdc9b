// SPDX-License-Identifier: MIT
#include "worker/proc/guard/memory_sharer.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace filecall::worker::guard {
namespace {

/// Untouched pages of it cost nothing, and nothing that the child does goes deep.
constexpr std::size_t kStackBytes = 256 * 1024;
alignas(64) char stack[kStackBytes];

/// Not 0 while the child has our memory; the kernel clears it and wakes who waits for that.
std::uint32_t is_shared;

}  // namespace

pid_t run_until_exec(int (*body)(void*), void* argument) {
  __atomic_store_n(&is_shared, 1, __ATOMIC_SEQ_CST);
  const pid_t child =
      ::clone(body, stack + kStackBytes, CLONE_VM | CLONE_FILES | CLONE_CHILD_CLEARTID | SIGCHLD,
              argument, nullptr, nullptr, &is_shared);
  while (child > 0 && __atomic_load_n(&is_shared, __ATOMIC_SEQ_CST) != 0) {
    ::syscall(SYS_futex, &is_shared, FUTEX_WAIT, 1, nullptr, nullptr, 0);
  }
  return child;
}

}  // namespace filecall::worker::guard
