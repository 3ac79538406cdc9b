// SPDX-License-Identifier: MIT
#pragma once

// glibc 2.36 declares pidfd_open and pidfd_send_signal without saying that they are C.
extern "C" {
#include <sys/pidfd.h>
}
