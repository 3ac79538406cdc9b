// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD: a disk that takes SLOW_SYNC_MS milliseconds for every fsync and
// fdatasync, as a loaded one does, so that what happens meanwhile can be seen.
#include <dlfcn.h>
#include <poll.h>

#include <cstdlib>

namespace {

using Sync = int(int);

int after_a_while(Sync* next, int fd) {
  static const char* const text = std::getenv("SLOW_SYNC_MS");
  const long wait_ms = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  ::poll(nullptr, 0, static_cast<int>(wait_ms));
  return next(fd);
}

}  // namespace

extern "C" {

int fsync(int fd) {
  static auto* const next = reinterpret_cast<Sync*>(::dlsym(RTLD_NEXT, "fsync"));
  return after_a_while(next, fd);
}

int fdatasync(int fd) {
  static auto* const next = reinterpret_cast<Sync*>(::dlsym(RTLD_NEXT, "fdatasync"));
  return after_a_while(next, fd);
}
}
