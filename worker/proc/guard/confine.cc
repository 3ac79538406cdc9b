// SPDX-License-Identifier: MIT
#include "worker/proc/guard/confine.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>

#include "worker/proc/sandbox/capabilities.h"
#include "worker/proc/sandbox/landlock.h"
#include "worker/proc/sandbox/seccomp_program.h"

namespace filecall::worker::guard {
namespace {

int apply(__rlimit_resource resource, std::int64_t value, std::int64_t headroom = 0) {
  if (value < 0) return 0;
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0) return errno;
  const rlim_t soft = static_cast<rlim_t>(value);
  const rlim_t hard = soft + static_cast<rlim_t>(headroom);
  if (limit.rlim_max == RLIM_INFINITY || hard < limit.rlim_max) limit.rlim_max = hard;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  return ::setrlimit(resource, &limit) == 0 ? 0 : errno;
}

}  // namespace

int apply_limits(const Limits& limits) {
  // A core file in the tool's directory would be a surprise and may hold secrets.
  if (const int error = apply(RLIMIT_CORE, 0); error != 0) return error;
  // One second between XCPU, which a tool may handle, and KILL.
  if (const int error = apply(RLIMIT_CPU, limits.cpu_seconds, 1); error != 0) return error;
  if (const int error = apply(RLIMIT_NOFILE, limits.files); error != 0) return error;
  if (const int error = apply(RLIMIT_FSIZE, limits.file_bytes); error != 0) return error;
  if (const int error = apply(RLIMIT_NPROC, limits.processes); error != 0) return error;
  return apply(RLIMIT_AS, limits.memory_bytes);
}

StepFailure confine(const SandboxOptions& sandbox) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed_at(Step::kConfine, errno);
  // Process 1 has dropped them already.
  if (sandbox.level != Level::kNone && !sandbox.uses(kNamespaces)) {
    if (const StepFailure failure = drop_capabilities()) return failure;
  }
  if (sandbox.uses(kLandlock)) {
    if (const StepFailure failure = apply_landlock(sandbox)) return failure;
  }
  if (sandbox.uses(kSeccomp)) {
    const int error = load_seccomp_program(kept_seccomp_program(sandbox));
    if (error != 0) return failed_at(Step::kSeccomp, error);
  }
  return {};
}

}  // namespace filecall::worker::guard
