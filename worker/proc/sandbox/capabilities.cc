// SPDX-License-Identifier: MIT
#include "worker/proc/sandbox/capabilities.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace filecall::worker::guard {

StepFailure bound_capabilities() {
  // These two need CAP_SETPCAP. A process without it has nothing that exec could give back to it:
  // no_new_privs keeps exec from adding to what is dropped below.
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0;
       ++capability) {
  }
  ::prctl(PR_SET_SECUREBITS,
          SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
              SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
              SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
          0, 0, 0);
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
    return failed_at(Step::kCapabilities, errno);
  }
  return {};
}

StepFailure clear_capabilities() {
  struct __user_cap_header_struct header {
    _LINUX_CAPABILITY_VERSION_3, 0
  };
  const struct __user_cap_data_struct none[2] = {};
  if (::syscall(SYS_capset, &header, none) != 0) return failed_at(Step::kCapabilities, errno);
  return {};
}

StepFailure drop_capabilities() {
  if (const StepFailure failure = bound_capabilities()) return failure;
  return clear_capabilities();
}

}  // namespace filecall::worker::guard
