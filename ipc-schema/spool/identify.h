// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include "spool/file_identity.h"

namespace filecall::spool {

inline FileIdentity identify(const struct stat& info) {
  return {info.st_ino, info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec, info.st_size};
}

}  // namespace filecall::spool
